/**
 * Addresses of uncommitted objects as Parquet files for foreign collectors, page by page (garbage collection, section 4).
 * Clients use only the location the last page answers, so every page after a file was written answers it, and the last page
 * then always writes one.
 */

import { checkWritable, descendingXid, partitionEpoch, xid } from '@srv/lib-records';
import { identifierType, namespaceOf, storageRoots } from '@srv/lib-stores/block';
import { branchOf, branchesOf } from '../mark/repository-state.js';
import { partitionsOf, stagedEntries } from '../mark/staged.js';
import { looksAt } from '../mark/uncommitted.js';
import { ParquetFile } from './parquet-file.js';
import { folderUri, retentionFile } from './places.js';
import { decodeMark, encodeMark } from './token.js';
import type { Branch, CommittedStore, Repository } from '@srv/engine/contract';
import type { EntryRecord } from '@srv/engine/objects/entry';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { PreparedUncommitted } from '../contract.js';
import type { Mark } from './token.js';

export interface UncommittedSources {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  /** Bytes of a file, looked at with every row group; 0: no limit. */
  readonly maxFileSize: number;
  /** Milliseconds a page may take; 0: no limit. */
  readonly interval: number;
}

const columns = [
  { name: 'physical_address', type: 'text' },
  { name: 'creation_date', type: 'integer' },
] as const;
const rowGroupRows = 100_000;

/** Where a page ends. */
type End = Pick<Mark, 'branch' | 'path' | 'partition'> | undefined;

/** @throws SrvError `invalid` for a bad token, `read_only`; any failure of a scan, so that a part is never taken for all. */
export async function prepareUncommitted(
  repository: Repository,
  token: string | undefined,
  sources: UncommittedSources,
): Promise<PreparedUncommitted> {
  checkWritable(repository);
  const mark = token ? decodeMark(token) : undefined;
  const runId = mark?.runId ?? descendingXid(partitionEpoch);
  const page = new UncommittedPage(repository, sources);
  try {
    const end = await page.scan(mark);
    const hadFile = mark?.hasFile ?? false;
    const folder = await retentionFile(sources.committed, repository, `uncommitted/${runId}/uncommitted/`);
    const hasFile = await page.store({ ...folder, identifier: folder.identifier + xid() }, hadFile && end === undefined);
    return {
      runId,
      location: hasFile || hadFile ? folderUri(sources.block, folder) : '',
      continuationToken: end && encodeMark({ ...end, runId, hasFile: hasFile || hadFile }),
    };
  } finally {
    await page.close();
  }
}

class UncommittedPage {
  readonly #repository: Repository;
  readonly #sources: UncommittedSources;
  readonly #roots: readonly string[];
  readonly #began = performance.now();
  #file: ParquetFile | undefined;
  #addresses: string[] = [];
  #dates: number[] = [];

  constructor(repository: Repository, sources: UncommittedSources) {
    this.#repository = repository;
    this.#sources = sources;
    this.#roots = storageRoots(sources.block, namespaceOf(repository));
  }

  async scan(mark: Mark | undefined): Promise<End> {
    const { kv } = this.#sources;
    for await (const { id } of branchesOf(kv, this.#repository, mark?.branch)) {
      if (id !== mark?.branch && this.#isLate()) return { branch: id, path: '', partition: '' };
      // The list of branches may be older than the branch: its partitions are named by what it is now.
      const branch = await branchOf(kv, this.#repository, id);
      const end = branch && (await this.#branch(branch, id === mark?.branch ? mark : undefined));
      if (end) return end;
    }
    return undefined;
  }

  /** Stores what was found. @param always also when nothing was found. @returns whether there is a file. */
  async store(pointer: Parameters<ParquetFile['store']>[1], always: boolean): Promise<boolean> {
    if (always) this.#file ??= await ParquetFile.create(columns);
    if (this.#addresses.length > 0) await this.#flush();
    await this.#file?.store(this.#sources.block, pointer);
    return this.#file !== undefined;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #branch(first: Branch, mark: Mark | undefined): Promise<End> {
    let from = mark;
    for await (const branch of looksAt(this.#sources.kv, this.#repository, first)) {
      const end = await this.#partitions(branch, from);
      if (end) return end;
      from = undefined;
    }
    return undefined;
  }

  async #partitions(branch: Branch, mark: Mark | undefined): Promise<End> {
    const all = partitionsOf(branch);
    // A branch whose partitions have changed since the page before is read again from the beginning.
    const at = mark ? all.indexOf(mark.partition) : -1;
    for (const [i, partition] of all.slice(Math.max(at, 0)).entries()) {
      const start = at >= 0 && i === 0 && mark ? Buffer.from(mark.path, 'base64') : undefined;
      let progressed = false;
      for await (const rows of stagedEntries(this.#sources.kv, partition, start)) {
        const [first] = rows;
        if (first && progressed && (this.#isLate() || (await this.#isLarge())))
          return { branch: branch.id, path: first.key.toString('base64'), partition };
        for (const { entry } of rows) await this.#add(entry);
        progressed = true;
      }
    }
    return undefined;
  }

  async #add(entry: EntryRecord | undefined): Promise<void> {
    const address = entry && this.#relative(entry);
    if (entry === undefined || address === undefined) return;
    this.#addresses.push(address);
    this.#dates.push(Math.floor(entry.lastModified.getTime() / 1000));
    if (this.#addresses.length >= rowGroupRows) await this.#flush();
  }

  /** `undefined` for what lies outside the namespace. */
  #relative({ address, addressType }: EntryRecord): string | undefined {
    if (addressType === identifierType.relative || !address.includes('://')) return address;
    const root = this.#roots.find(r => address.startsWith(r));
    return root === undefined ? undefined : address.slice(root.length);
  }

  async #flush(): Promise<void> {
    this.#file ??= await ParquetFile.create(columns);
    await this.#file.write([this.#addresses, this.#dates]);
    [this.#addresses, this.#dates] = [[], []];
  }

  #isLate(): boolean {
    const { interval } = this.#sources;
    return interval > 0 && performance.now() - this.#began > interval;
  }

  /** The size is known after a row group only. */
  async #isLarge(): Promise<boolean> {
    const { maxFileSize } = this.#sources;
    return maxFileSize > 0 && this.#file !== undefined && this.#addresses.length === 0 && (await this.#file.size()) > maxFileSize;
  }
}
