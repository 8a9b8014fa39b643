/** A few objects to look at in a repository made for trying things out. */
import { lakesParquet } from './sample-table.js';
import type { ServiceRegistry } from '@srv/kernel';
import type { Repository } from '../../contract.js';

interface Sample {
  readonly contentType: string;
  readonly content: string | Buffer;
}

const readme = `# Welcome to the Lake!

This repository is yours to try things out. Nothing in it matters.

| Path | Holds |
|---|---|
| [lakes.parquet](lakes.parquet) | fourteen lakes, as Parquet |
| [data/lakes.csv](data/lakes.csv) | the same, as CSV |
| [images/](images/) | how deep some of them are |

![Depths of lakes](images/depths.svg)

## A first change

1. Create a branch: under *Branches*, *Create Branch*, from \`main\`.
2. On the branch, upload a new \`data/lakes.csv\`, or delete a picture.
3. Look at *Uncommitted Changes*, and commit them.
4. Under *Compare*, see what the branch changes, and merge it into \`main\`.

Commits go to branches first: \`main\` is protected, and changes by merges only, where the server has branch protection.
`;

const csv = `name,country,depth_m,area_km2
Arresø,Denmark,5.9,39.5
Baikal,Russia,1642,31722
Como,Italy,425,146
Crater Lake,United States,594,53
Furesø,Denmark,37.7,9.4
Inari,Finland,92,1040
Loch Ness,United Kingdom,230,56
Malawi,Malawi,706,29600
Mälaren,Sweden,66,1140
Saimaa,Finland,82,4400
Superior,Canada,406,82103
Tanganyika,Tanzania,1470,32900
Titicaca,Bolivia,281,8372
Vänern,Sweden,106,5655
`;

/** Metres. */
const depths = [
  ['Baikal', 1642],
  ['Tanganyika', 1470],
  ['Crater Lake', 594],
  ['Loch Ness', 230],
] as const;

/** Bars hang from the surface. */
function drawing(bars: readonly (readonly [name: string, depth: number])[]): string {
  const width = 40 + bars.length * 110;
  const columns = bars.map(([name, depth], i) => {
    const [left, height] = [30 + i * 110, depth / 8];
    return (
      `<rect x="${left}" y="40" width="80" height="${height}" fill="#2f7fa3"/>` +
      `<text x="${left + 40}" y="28" text-anchor="middle">${name}</text>` +
      `<text x="${left + 40}" y="${height + 58}" text-anchor="middle">${depth} m</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="270" font-family="sans-serif" font-size="14"><rect width="100%" height="100%" fill="#eef5f8"/>${columns.join('')}</svg>\n`;
}

const svg = (bars: Parameters<typeof drawing>[0]): Sample => ({ contentType: 'image/svg+xml', content: drawing(bars) });

const samples: Readonly<Record<string, Sample>> = {
  'README.md': { contentType: 'text/markdown', content: readme },
  'data/lakes.csv': { contentType: 'text/csv', content: csv },
  'images/baikal.svg': svg([['Baikal', 1642]]),
  'images/depths.svg': svg(depths),
  'images/loch-ness.svg': svg([['Loch Ness', 230]]),
  'lakes.parquet': { contentType: 'application/vnd.apache.parquet', content: lakesParquet },
};

/** Commits the samples to the default branch and protects it, where branches can be protected. */
export async function createSampleData(
  services: Pick<ServiceRegistry, 'get' | 'find'>,
  { id, defaultBranch }: Repository,
  committer: string,
): Promise<void> {
  const engine = services.get('engine');
  for (const [path, { contentType, content }] of Object.entries(samples))
    await engine.putObject(id, defaultBranch, path, Buffer.isBuffer(content) ? content : Buffer.from(content, 'utf8'), { contentType });
  await engine.commit(id, defaultBranch, { committer, message: 'Add sample data' });
  await services.find('branchProtection')?.set(id, { [defaultBranch]: ['staging_write', 'commit'] });
}
