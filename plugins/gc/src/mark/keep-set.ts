/** What stays: the objects of commits, in a sorted file, and everything else that is alive. It only ever grows. */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '@srv/versioning/contract';
import type { MergeSource } from '../worker/work.js';
import { chunkIds } from '../worker/sorted-ids.js';
import { readRangeFile } from '../worker/range-file.js';
import type { MarkContext } from './context.js';
import { KeptIds } from './kept-ids.js';
import { idBytes, objectsIn } from './object-id.js';
import { RangeLists } from './range-lists.js';

export class KeepSet {
  readonly lists: RangeLists;
  readonly #context: MarkContext;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #metaranges = new Set<string>();
  readonly #ranges = new Map<string, number>();
  /** Ids of what is alive without a commit, not written yet. */
  #live: string[] = [];
  readonly #liveFiles: string[] = [];
  /** What was found alive after the lists were made. */
  readonly #late = new Set<string>();
  #committed: KeptIds | undefined;
  #alive: KeptIds | undefined;

  /** @param folder of the run. */
  constructor(repository: Repository, folder: string, signal: AbortSignal, context: MarkContext) {
    this.lists = new RangeLists(repository, join(context.cacheDir, repository.instanceUid), context);
    this.#context = context;
    this.#folder = folder;
    this.#signal = signal;
  }

  /** Objects known to stay. */
  get size(): number {
    return (this.#committed?.count ?? 0) + (this.#alive?.count ?? 0) + this.#late.size;
  }

  /** Keeps the objects that texts name. */
  async keep(texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    for await (const text of texts) {
      for (const id of objectsIn(text)) {
        if (this.#alive) this.#late.add(id);
        else this.#live.push(id);
      }
      if (this.#live.length >= chunkIds) await this.#spill();
    }
  }

  /** Makes the lists: all objects of the metaranges, of foreign lists, and what {@link KeepSet.keep} was given so far. */
  async build(metaranges: ReadonlySet<string>, foreign: readonly string[]): Promise<void> {
    const ranges = await this.lists.rangesOf(metaranges, this.#signal);
    await this.lists.prepare(ranges, this.#signal);
    for (const metarange of metaranges) this.#metaranges.add(metarange);
    for (const [range, count] of ranges) this.#ranges.set(range, count);
    this.#committed = new KeptIds(await this.#merged());
    await this.#spill();
    const alive = join(this.#folder, 'alive.ids');
    const sources: MergeSource[] = [
      ...this.#liveFiles.map(path => ({ path, list: 'plain' }) as const),
      ...foreign.map(path => ({ path, list: 'foreign' }) as const),
    ];
    await this.#context.sorter.merge(sources, alive);
    this.#alive = new KeptIds(alive);
    await this.lists.forgetOthers(this.#ranges);
  }

  /** Keeps the objects of further metaranges. @returns whether there was anything new. */
  async cover(metaranges: Iterable<string>): Promise<boolean> {
    const fresh = [...metaranges].filter(metarange => metarange !== '' && !this.#metaranges.has(metarange));
    if (fresh.length === 0) return false;
    const ranges = await this.lists.rangesOf(fresh, this.#signal);
    for (const range of ranges.keys()) if (this.#ranges.has(range)) ranges.delete(range);
    await this.lists.prepare(ranges, this.#signal);
    for (const [range, count] of ranges) {
      const ids = readRangeFile(this.lists.pathOf(range));
      for (let at = 0; at < ids.length; at += idBytes) this.#late.add(ids.toString('latin1', at, at + idBytes));
      this.#ranges.set(range, count);
    }
    for (const metarange of fresh) this.#metaranges.add(metarange);
    return true;
  }

  has(id: string): boolean {
    return this.#late.has(id) || (this.#committed?.has(id) ?? false) || (this.#alive?.has(id) ?? false);
  }

  close(): void {
    this.#committed?.close();
    this.#alive?.close();
  }

  async #spill(): Promise<void> {
    if (this.#live.length === 0) return;
    const ids = Buffer.from(this.#live.join(''), 'latin1');
    this.#live = [];
    const path = join(this.#folder, `alive.${this.#liveFiles.length}`);
    await this.#context.sorter.sort(ids, path);
    this.#liveFiles.push(path);
  }

  /**
   * One list of all ranges. That of the last run is taken as a whole while all of its ranges are still needed, so that a
   * run costs what is new.
   */
  async #merged(): Promise<string> {
    const { folder } = this.lists;
    await mkdir(folder, { recursive: true });
    const [path, namesPath] = [join(folder, 'merged.ids'), join(folder, 'merged.ranges')];
    const names = await rangesIn(namesPath);
    const reusable = names?.every(range => this.#ranges.has(range)) ?? false;
    const known = new Set(reusable ? names : []);
    const missing = [...this.#ranges.keys()].filter(range => !known.has(range));
    if (reusable && missing.length === 0) return path;
    const sources: MergeSource[] = [
      ...(reusable ? [{ path, list: 'plain' } as const] : []),
      ...missing.map(range => ({ path: this.lists.pathOf(range), list: 'both' }) as const),
    ];
    const next = join(this.#folder, 'merged.ids');
    await this.#context.sorter.merge(sources, next);
    // The names first go: a list without them is not used.
    await rm(namesPath, { force: true });
    await rename(next, path);
    const text = [...this.#ranges.keys()].join('\n');
    await writeFile(`${namesPath}.new`, `${(await stat(path)).size}\n${text}`);
    await rename(`${namesPath}.new`, namesPath);
    return path;
  }
}

/** Ranges that the merged list holds; `undefined` when there is none, or it is not the one they were written for. */
async function rangesIn(namesPath: string): Promise<string[] | undefined> {
  const text = await readFile(namesPath, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [size, ...ranges] = text.split('\n').filter(line => line !== '');
  const stats = await stat(namesPath.replace(/ranges$/, 'ids')).catch(() => undefined);
  return stats && size === String(stats.size) ? ranges : undefined;
}
