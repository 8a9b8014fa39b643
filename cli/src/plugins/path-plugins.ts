/** Programs named `cli-<name>` on PATH, which run as `cli <name>`. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { messageOf } from '@srv/kernel';

export interface PathPlugin {
  readonly name: string;
  readonly path: string;
  /** Why it does not run; absent: it does. */
  readonly problem?: string;
}

const prefix = 'cli-';

/** Every candidate, in the order of PATH. @param builtIn first words of the built-in commands, which win. */
export function findPathPlugins(path: string, builtIn: ReadonlySet<string>): PathPlugin[] {
  const first = new Map<string, string>();
  return [...new Set(path.split(delimiter))]
    .flatMap(folder => candidates(folder || '.'))
    .map(({ name, path: file, executable }) => {
      const problem = !executable
        ? 'not executable'
        : builtIn.has(name)
          ? 'overshadowed by a built-in command'
          : first.has(name)
            ? `shadowed by ${first.get(name)}`
            : undefined;
      if (executable && !first.has(name)) first.set(name, file);
      return { name, path: file, ...(problem === undefined ? {} : { problem }) };
    });
}

/** Runs a plugin in place of this program. @returns its exit code; 255 when a signal ended it. */
export function runPathPlugin({ name, path }: PathPlugin, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: 'inherit' });
    child.on('error', error => reject(new Error(`failed to run plugin ${prefix}${name}: ${messageOf(error)}`)));
    child.on('close', code => resolve(code ?? 255));
  });
}

function candidates(folder: string): { name: string; path: string; executable: boolean }[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names
    .filter(name => name.startsWith(prefix) && name.length > prefix.length)
    .flatMap(name => {
      const path = join(folder, name);
      const kind = statSync(path, { throwIfNoEntry: false });
      return kind?.isFile() ? [{ name: name.slice(prefix.length), path, executable: isExecutable(path) }] : [];
    });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
