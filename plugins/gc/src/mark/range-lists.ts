/** The ids of every range that is needed, from files of earlier runs where there are some. */
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { makePrivateFolder } from '../private-folder.js';
import { headBytes, listsIn } from '../worker/range-file.js';
import { unreadableCommit } from './unreadable-commit.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { RangeIds } from '../worker/range-file.js';
import type { MarkContext } from './context.js';

/** Ranges read at a time. */
const parallel = 3;

export class RangeLists {
  readonly folder: string;
  readonly #context: Pick<MarkContext, 'committed' | 'kv' | 'sorter'>;
  readonly #repository: Repository;
  readonly #ids: RangeIds;

  constructor(repository: Repository, folder: string, context: Pick<MarkContext, 'committed' | 'kv' | 'sorter'>, ids: RangeIds = 'both') {
    this.#ids = ids;
    this.#repository = repository;
    this.#context = context;
    this.folder = folder;
  }

  pathOf(range: string): string {
    return join(this.folder, range.slice(0, 2), range);
  }

  /** Distinct ranges of metaranges and their numbers of records. @throws when one of the files is missing; the error names a commit with it. */
  async rangesOf(metaranges: Iterable<string>, signal: AbortSignal): Promise<Map<string, number>> {
    const ranges = new Map<string, number>();
    for (const metarange of metaranges) {
      throwIfAborted(signal);
      try {
        for await (const page of this.#context.committed.ranges(namespaceOf(this.#repository), metarange))
          for (const { id, count } of page) ranges.set(id, count);
      } catch (error) {
        throw await unreadableCommit(this.#context.kv, this.#repository, metarange, error);
      }
    }
    return ranges;
  }

  /** Makes sure that the file of every range is there. @throws when a range is missing or does not hold what its metarange says. */
  async prepare(ranges: ReadonlyMap<string, number>, signal: AbortSignal): Promise<void> {
    const queue = ranges.entries();
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        for (const [range, count] of queue) {
          throwIfAborted(signal);
          await this.#prepareOne(range, count);
        }
      }),
    );
  }

  /** Removes the lists of ranges that this run did not need. */
  async forgetOthers(ranges: { has(range: string): boolean }): Promise<void> {
    for (const part of await readdir(this.folder).catch(() => []))
      if (/^[0-9a-f]{2}$/.test(part))
        for (const name of await readdir(join(this.folder, part)).catch(() => []))
          if (!ranges.has(name)) await rm(join(this.folder, part, name), { force: true });
  }

  async #prepareOne(range: string, count: number): Promise<void> {
    const path = this.pathOf(range);
    if (await isWhole(path, this.#ids)) return;
    await makePrivateFolder(join(path, '..'));
    const bytes = await buffer((await this.#open(range)).body);
    await this.#context.sorter.range(bytes, range, count, path, this.#ids);
  }

  async #open(range: string): ReturnType<CommittedStore['open']> {
    try {
      return await this.#context.committed.open(namespaceOf(this.#repository), 'range', range);
    } catch (error) {
      if (!isSrvError(error, 'not_found')) throw error;
      throw new SrvError('not_found', `repository ${this.#repository.id}: ${error.message}: restore the file from a backup`, {
        cause: error,
      });
    }
  }
}

/** Files of earlier versions have more than is asked for: they are made again. */
async function isWhole(path: string, ids: RangeIds): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return false;
  try {
    const head = Buffer.alloc(headBytes);
    await file.read(head, 0, headBytes, 0);
    const lists = listsIn(head, (await file.stat()).size);
    return lists !== undefined && (ids === 'both' || lists.own.start === lists.own.end);
  } finally {
    await file.close();
  }
}
