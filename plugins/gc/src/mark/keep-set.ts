/** What stays: the objects of commits, in a sorted file, and everything else that is alive. It only ever grows. */
import { join } from 'node:path';
import { readRangeFile } from '../worker/range-file.js';
import { chunkIds } from '../worker/sorted-ids.js';
import { committedLists } from './committed-lists.js';
import { KeptIds } from './kept-ids.js';
import { idBytes, objectsIn } from './object-id.js';
import { RangeLists } from './range-lists.js';
import type { Repository } from '@srv/engine/contract';
import type { MergeSource } from '../worker/work.js';
import type { MarkContext } from './context.js';

export class KeepSet {
  readonly lists: RangeLists;
  /** Names the list of committed objects that later runs use again; another one may hold less. */
  generation = '';
  readonly #context: MarkContext;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #metaranges = new Set<string>();
  readonly #ranges = new Set<string>();
  /** Ids of what is alive without a commit, not written yet. */
  #live: string[] = [];
  readonly #liveFiles: string[] = [];
  /** What was found alive after the lists were made. */
  readonly #late = new Set<string>();
  #base: KeptIds | undefined;
  #recent: KeptIds | undefined;
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
    return (this.#base?.count ?? 0) + (this.#recent?.count ?? 0) + (this.#alive?.count ?? 0) + this.#late.size;
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
    for (const metarange of metaranges) this.#metaranges.add(metarange);
    const lists = await committedLists(
      { metaranges, folder: this.#folder, signal: this.#signal },
      { lists: this.lists, sorter: this.#context.sorter },
    );
    for (const range of lists.ranges) this.#ranges.add(range);
    this.generation = lists.generation;
    this.#base = new KeptIds(lists.base);
    this.#recent = new KeptIds(lists.recent);
    await this.#spill();
    const alive = join(this.#folder, 'alive.ids');
    const sources: MergeSource[] = [
      ...this.#liveFiles.map(path => ({ path, list: 'plain' }) as const),
      ...foreign.map(path => ({ path, list: 'foreign' }) as const),
    ];
    await this.#context.sorter.merge(sources, alive);
    this.#alive = new KeptIds(alive);
    if (lists.isNew) await this.lists.forgetOthers(this.#ranges);
  }

  /** Keeps the objects of further metaranges. @returns whether there was anything new. */
  async cover(metaranges: Iterable<string>): Promise<boolean> {
    const fresh = [...metaranges].filter(metarange => metarange !== '' && !this.#metaranges.has(metarange));
    if (fresh.length === 0) return false;
    const ranges = await this.lists.rangesOf(fresh, this.#signal);
    for (const range of ranges.keys()) if (this.#ranges.has(range)) ranges.delete(range);
    await this.lists.prepare(ranges, this.#signal);
    for (const range of ranges.keys()) {
      const ids = readRangeFile(this.lists.pathOf(range));
      for (let at = 0; at < ids.length; at += idBytes) this.#late.add(ids.toString('latin1', at, at + idBytes));
      this.#ranges.add(range);
    }
    for (const metarange of fresh) this.#metaranges.add(metarange);
    return true;
  }

  has(id: string): boolean {
    return this.isSettled(id) || (this.#recent?.has(id) ?? false) || (this.#alive?.has(id) ?? false) || this.#late.has(id);
  }

  /** Whether commits keep the object as long as {@link KeepSet.generation} is the same. */
  isSettled(id: string): boolean {
    return this.#base?.has(id) ?? false;
  }

  close(): void {
    this.#base?.close();
    this.#recent?.close();
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
}
