/**
 * Prints how the API differs from the surface its clients were written against.
 * `node scripts/dist/compare-api.js [surface.json [known-differences.json]]`; exit code 1 for an unexplained difference.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareSurfaces, describedOperations, judge, servedSurface } from '@srv/api/surface';
import { repositoryRoot } from './repository-root.js';
import type { KnownDifference, Surface } from '@srv/api/surface';

const fixtures = join(repositoryRoot, 'plugins', 'api', 'test', 'fixtures');
const [surfaceFile = join(fixtures, 'surface.json'), knownFile = join(fixtures, 'known-differences.json')] = process.argv.slice(2);

const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
const surface = (await read(surfaceFile)) as Surface;
const served = await servedSurface(await describedOperations(join(repositoryRoot, 'plugins')));
const { additions, explained, unexplained, stale } = judge(compareSurfaces(surface, served), (await read(knownFile)) as KnownDifference[]);

function print(title: string, lines: readonly string[]): void {
  console.log(`${title}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}

console.log(`operations: ${Object.keys(served).length} served, ${Object.keys(surface).length} known\n`);
print(
  'added',
  additions.map(({ text }) => text),
);
print(
  'different on purpose',
  explained.map(({ text, reason }) => `${text} (${reason})`),
);
print(
  'different without a reason',
  unexplained.map(({ text }) => text),
);
print(
  'explained but not different',
  stale.map(({ difference }) => difference),
);
process.exitCode = unexplained.length + stale.length > 0 ? 1 : 0;
