/** Objects and bytes below prefixes, and how much of them no other branch or tag has. */
import { pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { rangeFile } from '../index/index-files.js';
import { Slices } from '../index/slice.js';
import type { Engine, RangeDescriptor, Repository } from '@srv/engine/contract';
import type { Page } from '@srv/lib-records';
import type { Usage, UsageRequest } from '../contract.js';
import type { Texts } from '../format/columns.js';
import type { IndexFiles } from '../index/index-files.js';

export interface UsageSources {
  readonly engine: Pick<Engine, 'tables' | 'listBranches' | 'listTags' | 'getCommit'>;
  readonly files: IndexFiles;
  /** Makes the index file of a range, if it does not exist. */
  readonly ensureRange: (repository: Repository, range: RangeDescriptor) => Promise<void>;
}

type Counts = { -readonly [Member in keyof Usage]: Usage[Member] };

/** @param branch whose usage it is; absent for a commit or tag. @param metarange of what is counted. */
export async function usagePage(
  repository: Repository,
  { branch, metarange, request }: { readonly branch: string | undefined; readonly metarange: string; readonly request: UsageRequest },
  sources: UsageSources,
): Promise<Page<Usage>> {
  const amount = pageSize(request.amount);
  const others = await otherRanges(repository, branch, metarange, sources);
  const results: Usage[] = [];
  for await (const counts of new UsageWalk(repository, request, others, sources).groups(metarange)) {
    if (results.length === amount) return { results, hasMore: true, nextOffset: results.at(-1)?.path ?? '' };
    results.push(counts);
  }
  return { results, hasMore: false, nextOffset: '' };
}

/** Ranges of the heads of all other branches and of all tags, in order of their first keys. */
async function otherRanges(
  repository: Repository,
  branch: string | undefined,
  own: string,
  { engine }: UsageSources,
): Promise<{ readonly ids: ReadonlySet<string>; readonly ranges: readonly RangeDescriptor[] }> {
  const found = new Map<string, RangeDescriptor>();
  const metaranges = new Set<string>();
  for await (const { id, commitId, isBranch } of heads(repository, engine)) {
    if (isBranch && id === branch) continue;
    const { metarangeId } = await engine.getCommit(repository, commitId);
    if (branch === undefined && metarangeId === own) continue;
    if (metaranges.has(metarangeId)) continue;
    metaranges.add(metarangeId);
    for await (const page of engine.tables.ranges(namespaceOf(repository), metarangeId))
      for (const range of page) found.set(range.id, range);
  }
  return { ids: new Set(found.keys()), ranges: [...found.values()].sort((a, b) => Buffer.compare(a.minKey, b.minKey)) };
}

async function* heads(
  repository: Repository,
  engine: UsageSources['engine'],
): AsyncGenerator<{ readonly id: string; readonly commitId: string; readonly isBranch: boolean }> {
  for (const isBranch of [true, false])
    for (let after = ''; ; ) {
      const request = { after, amount: 1000 };
      const page = await (isBranch
        ? engine.listBranches(repository, { ...request, showHidden: true })
        : engine.listTags(repository, request));
      for (const { id, commitId } of page.results) yield { id, commitId, isBranch };
      if (!page.hasMore) break;
      after = page.nextOffset;
    }
}

class UsageWalk {
  readonly #repository: Repository;
  readonly #sources: UsageSources;
  readonly #others: Awaited<ReturnType<typeof otherRanges>>;
  readonly #prefix: Buffer;
  readonly #delimiter: string;
  readonly #after: string;
  readonly #slices: Slices;
  #group: Counts | undefined;

  constructor(repository: Repository, request: UsageRequest, others: Awaited<ReturnType<typeof otherRanges>>, sources: UsageSources) {
    this.#repository = repository;
    this.#sources = sources;
    this.#others = others;
    this.#prefix = Buffer.from(request.prefix ?? '');
    this.#delimiter = request.delimiter ?? '/';
    this.#after = request.after ?? '';
    this.#slices = new Slices(request.signal);
  }

  /** In order of paths; each is complete. */
  async *groups(metarange: string): AsyncGenerator<Usage> {
    for await (const page of this.#sources.engine.tables.ranges(namespaceOf(this.#repository), metarange))
      for (const range of page) if (this.#mayHold(range)) yield* this.#addRange(range);
    if (this.#group) yield this.#group;
  }

  #mayHold({ minKey, maxKey }: RangeDescriptor): boolean {
    if (this.#after !== '' && Buffer.compare(maxKey, Buffer.from(this.#after)) <= 0) return false;
    return Buffer.compare(maxKey, this.#prefix) >= 0 && (Buffer.compare(minKey, this.#prefix) <= 0 || startsWith(minKey, this.#prefix));
  }

  async *#addRange(range: RangeDescriptor): AsyncGenerator<Usage> {
    const { files, ensureRange } = this.#sources;
    const file = rangeFile(range.id);
    await ensureRange(this.#repository, range);
    const isShared = this.#others.ids.has(range.id);
    const group = this.#groupOf(range.minKey.toString('utf8'));
    const overlapping = isShared ? [] : this.#others.ranges.filter(other => overlaps(other, range));
    // All of it is one group, and all or nothing of it is shared: its sums are enough.
    if (overlapping.length === 0 && group !== undefined && group === this.#groupOf(range.maxKey.toString('utf8'))) {
      const { bytes } = await files.head(this.#repository, file);
      yield* this.#add(group, { objects: range.count, bytes, isUnique: !isShared });
      return;
    }
    const [paths, sizes] = await Promise.all([files.texts(this.#repository, file, 'path'), files.numbers(this.#repository, file, 'size')]);
    const shared = await this.#sharedRows(range, paths, sizes, overlapping);
    for (let i = 0; i < range.count; i++) {
      if (i % 256 === 0 && this.#slices.isDue) await this.#slices.pause();
      const name = this.#groupOf(paths.text(i));
      if (name === undefined) continue;
      yield* this.#add(name, { objects: 1, bytes: sizes[i] ?? 0, isUnique: !isShared && shared[i] !== 1 });
    }
  }

  /** 1 for each entry that one of the other ranges has, too, with the same content. */
  async #sharedRows(range: RangeDescriptor, paths: Texts, sizes: Float64Array, others: readonly RangeDescriptor[]): Promise<Uint8Array> {
    const { files, ensureRange } = this.#sources;
    const shared = new Uint8Array(range.count);
    if (others.length === 0) return shared;
    const etags = await files.texts(this.#repository, rangeFile(range.id), 'etag');
    for (const other of others) {
      const otherFile = rangeFile(other.id);
      await ensureRange(this.#repository, other);
      const [otherPaths, otherEtags, otherSizes] = await Promise.all([
        files.texts(this.#repository, otherFile, 'path'),
        files.texts(this.#repository, otherFile, 'etag'),
        files.numbers(this.#repository, otherFile, 'size'),
      ]);
      for (let i = 0, j = 0; i < range.count && j < other.count; ) {
        if ((i + j) % 256 === 0 && this.#slices.isDue) await this.#slices.pause();
        const order = paths.compare(i, otherPaths.bytesAt(j));
        if (order === 0 && sizes[i] === otherSizes[j] && etags.compare(i, otherEtags.bytesAt(j)) === 0) shared[i] = 1;
        if (order <= 0) i++;
        if (order >= 0) j++;
      }
    }
    return shared;
  }

  /** Name of the group of a path; `undefined` where it is not wanted. */
  #groupOf(path: string): string | undefined {
    const prefix = this.#prefix.toString('utf8');
    if (!path.startsWith(prefix)) return undefined;
    if (this.#delimiter === '') return prefix;
    const end = path.indexOf(this.#delimiter, prefix.length);
    const name = end < 0 ? path : path.slice(0, end + this.#delimiter.length);
    return this.#after !== '' && Buffer.compare(Buffer.from(name), Buffer.from(this.#after)) <= 0 ? undefined : name;
  }

  *#add(path: string, { objects, bytes, isUnique }: { objects: number; bytes: number; isUnique: boolean }): Generator<Usage> {
    if (this.#group?.path !== path) {
      if (this.#group) yield this.#group;
      const isPrefix = this.#delimiter === '' || path.endsWith(this.#delimiter);
      this.#group = { path, isPrefix, objects: 0, bytes: 0, uniqueObjects: 0, uniqueBytes: 0 };
    }
    this.#group.objects += objects;
    this.#group.bytes += bytes;
    if (!isUnique) return;
    this.#group.uniqueObjects += objects;
    this.#group.uniqueBytes += bytes;
  }
}

function overlaps(a: RangeDescriptor, b: RangeDescriptor): boolean {
  return Buffer.compare(a.minKey, b.maxKey) <= 0 && Buffer.compare(a.maxKey, b.minKey) >= 0;
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
