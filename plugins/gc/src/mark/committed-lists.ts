/**
 * The objects of all commits that stay, as two sorted lists: a large one that later runs use again as long as everything in
 * it stays, and a small one of what was committed since. So a run costs what is new.
 */
import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../private-folder.js';
import { idBytes } from './object-id.js';
import type { Sorting } from '../worker/sorter.js';
import type { RangeLists } from './range-lists.js';

interface CommittedLists {
  /** Files of sorted ids. */
  readonly base: string;
  readonly recent: string;
  /** Every range whose objects are in them. */
  readonly ranges: Iterable<string>;
  /** Names the base. */
  readonly generation: string;
  /** The base was made just now. */
  readonly isNew: boolean;
}

interface ListsRequest {
  readonly metaranges: ReadonlySet<string>;
  /** Folder of the run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

interface ListsSources {
  readonly lists: RangeLists;
  readonly sorter: Sorting;
}

/** What the base holds, as stored beside it. */
interface Base {
  /** In the name of its file: what is said here is never said of another list. */
  readonly generation: string;
  /** Bytes of the list. */
  readonly size: number;
  readonly metaranges: readonly string[];
  readonly ranges: readonly string[];
}

const factsName = 'committed.json';
/** Share of the base that the recent list may reach before both become one. */
const recentShare = 0.25;
const fewIds = 10_000;

export async function committedLists(request: ListsRequest, sources: ListsSources): Promise<CommittedLists> {
  const { lists } = sources;
  await makePrivateFolder(lists.folder);
  const base = await storedBase(lists.folder);
  return (base && (await extended(base, request, sources))) ?? rebuilt(request, sources);
}

/** The base with what was committed since; `undefined` when it has to be made again. */
async function extended(base: Base, { metaranges, folder, signal }: ListsRequest, { lists, sorter }: ListsSources) {
  const known = new Set(base.metaranges);
  const allStay = base.metaranges.every(id => metaranges.has(id));
  // When a commit has expired, others may still hold all of its ranges.
  const ranges = await lists.rangesOf(allStay ? [...metaranges].filter(id => !known.has(id)) : metaranges, signal);
  if (!allStay && !base.ranges.every(range => ranges.has(range))) return undefined;
  for (const range of base.ranges) ranges.delete(range);
  await lists.prepare(ranges, signal);
  const recent = join(folder, 'recent.ids');
  await sorter.merge(sourcesOf(ranges.keys(), lists), recent);
  const count = (await stat(recent)).size / idBytes;
  if (count > Math.max(fewIds, (base.size / idBytes) * recentShare)) return undefined;
  const { generation } = base;
  return { base: pathOf(lists.folder, generation), recent, ranges: [...base.ranges, ...ranges.keys()], generation, isNew: false };
}

async function rebuilt({ metaranges, folder, signal }: ListsRequest, { lists, sorter }: ListsSources): Promise<CommittedLists> {
  const ranges = await lists.rangesOf(metaranges, signal);
  await lists.prepare(ranges, signal);
  const generation = randomUUID();
  const path = pathOf(lists.folder, generation);
  await sorter.merge(sourcesOf(ranges.keys(), lists), `${path}.new`, { lasts: true });
  await rename(`${path}.new`, path);
  const facts: Base = { generation, size: (await stat(path)).size, metaranges: [...metaranges], ranges: [...ranges.keys()] };
  await writeFile(join(lists.folder, `${factsName}.new`), JSON.stringify(facts), { flush: true });
  await rename(join(lists.folder, `${factsName}.new`), join(lists.folder, factsName));
  for (const name of await readdir(lists.folder))
    if (name.startsWith('committed-') && !name.includes(generation)) await rm(join(lists.folder, name), { force: true });
  const recent = join(folder, 'recent.ids');
  await writeFile(recent, '');
  return { base: path, recent, ranges: ranges.keys(), generation, isNew: true };
}

function sourcesOf(ranges: Iterable<string>, lists: RangeLists) {
  return [...ranges].map(range => ({ path: lists.pathOf(range), list: 'both' }) as const);
}

function pathOf(folder: string, generation: string): string {
  return join(folder, `committed-${generation}.ids`);
}

/** `undefined` if the list does not exist or is incomplete. */
async function storedBase(folder: string): Promise<Base | undefined> {
  const text = await readFile(join(folder, factsName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const base = JSON.parse(text) as Base;
    const stats = await stat(pathOf(folder, base.generation));
    return base.size === stats.size ? base : undefined;
  } catch {
    return undefined;
  }
}
