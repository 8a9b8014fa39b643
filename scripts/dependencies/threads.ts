/**
 * What threads and processes load that are started for one piece of work: not the whole kernel, whose loading takes longer
 * than many such pieces. And how threads end: by their owners (`postLast` of the kernel says why).
 */
import { importTarget } from './import-target.js';
import type { PackageFacts } from './package-facts.js';
import type { Source } from './source.js';

const ships = /^(?!test\/|scripts\/)[^:]*\/src\/(?!testing\/)/;
/** How a module names the program of a thread. */
const startOf = /new URL\('(\.[^']*\.js)', import\.meta\.url\)/g;
const kernel = 'kernel/src/index.js';
/** In the text of a program: that it is one of a thread, not of a process; that it stays; that it ends. */
const isThread = /\bparentPort\b|\bworkerData\b(?!:)/;
const stays = /\.on\('message'|\bpostLast\(/;
const ends = /\bparentPort\??\.(?:close|unref)\(/;

/** @returns one `file:line: what is wrong` per thread. */
export function judgeThreads(sources: readonly Source[], packages: ReadonlyMap<string, PackageFacts>): string[] {
  const byPath = new Map(sources.map(source => [pathOf(source), source]));
  return sources.flatMap(source => {
    const path = pathOf(source);
    if (!ships.test(path)) return [];
    return [...source.text.matchAll(startOf)].flatMap(({ 1: specifier = '', index }) => {
      const program = importTarget(specifier, path, source.from, packages) ?? '';
      const way = wayToKernel(program, byPath, packages);
      const place = `${source.from.folder}/${source.file}:${source.text.slice(0, index).split('\n').length}`;
      const loads = way ? [`${place}: the thread loads all of the kernel: ${way.join(' → ')}`] : [];
      const text = byPath.get(program)?.text ?? '';
      const endsItself = isThread.test(text) && (ends.test(text) || !stays.test(text));
      return endsItself
        ? [...loads, `${place}: the thread ends on its own; it must listen, or end with postLast of @srv/kernel/threads`]
        : loads;
    });
  });
}

/** As if the compiled files lay beside the sources. */
const pathOf = ({ from, file }: Source): string => `${from.folder}/${file.replace(/\.tsx?$/, '.js')}`;

/** @returns the modules from the program to the kernel, the shortest way. */
function wayToKernel(
  program: string,
  byPath: ReadonlyMap<string, Source>,
  packages: ReadonlyMap<string, PackageFacts>,
): readonly string[] | undefined {
  const seen = new Set([program]);
  let ways: (readonly string[])[] = [[program]];
  while (ways.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const way of ways) {
      const path = way.at(-1) ?? '';
      if (path === kernel) return way;
      const source = byPath.get(path);
      for (const { specifier, typesOnly } of source?.imports ?? []) {
        const target = typesOnly || !source ? undefined : importTarget(specifier, path, source.from, packages);
        if (target === undefined || seen.has(target)) continue;
        seen.add(target);
        longer.push([...way, target]);
      }
    }
    ways = longer;
  }
  return undefined;
}
