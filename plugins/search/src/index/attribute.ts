/**
 * Which commit last changed each entry of a commit: the commit itself where it differs from its parents, else the one that
 * the first parent with the same entry says. Entries, differences and parents are all in order of keys, so that each is
 * passed once.
 */
import { SrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { AttributionWriter } from '../format/attribution.js';
import { changesFile, rangeFile } from './index-files.js';
import { Slices } from './slice.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { Attribution } from '../format/attribution.js';
import type { Texts } from '../format/columns.js';
import type { IndexedRange, Snapshot } from '../format/snapshot.js';
import type { IndexFiles } from './index-files.js';

export interface AttributionSources {
  readonly repository: Repository;
  readonly files: IndexFiles;
  readonly committed: Pick<CommittedStore, 'diff'>;
  readonly signal?: AbortSignal | undefined;
}

/** A parent, and what differs from it, walked once. */
export class ParentWalk {
  readonly #authors: AuthorCursor;
  readonly #changes: ChangedKeys;

  private constructor(authors: AuthorCursor, changes: ChangedKeys) {
    this.#authors = authors;
    this.#changes = changes;
  }

  /** @param metarange that the parent is compared with. */
  static async open(parent: Snapshot, metarange: string, sources: AttributionSources): Promise<ParentWalk> {
    const { repository, files } = sources;
    const { changes } = parent;
    const changed = changes && {
      paths: await files.texts(repository, changesFile(changes.id), 'path'),
      attribution: await files.attribution(repository, changes),
    };
    return new ParentWalk(new AuthorCursor(parent, changed, sources), new ChangedKeys(parent.metarange, metarange, sources));
  }

  /** The commit that wrote the parent's entry; `undefined` when the parent has another one or none. Keys must ascend. */
  author(key: Buffer): string | undefined | Promise<string | undefined> {
    const isChanged = this.#changes.has(key);
    if (typeof isChanged !== 'boolean') return isChanged.then(changed => (changed ? undefined : this.#authors.at(key)));
    return isChanged ? undefined : this.#authors.at(key);
  }

  close(): Promise<void> {
    return this.#changes.close();
  }
}

/** The authors of all entries of a range. @param paths of the range. @param parents in their order. */
export async function attribute(
  commit: string,
  paths: { readonly texts: Texts; readonly count: number },
  parents: readonly ParentWalk[],
  signal?: AbortSignal,
): Promise<AttributionWriter> {
  const writer = new AttributionWriter();
  const slices = new Slices(signal);
  for (let i = 0; i < paths.count; i++) {
    const key = paths.texts.bytesAt(i);
    let author: string | undefined;
    for (const parent of parents) {
      // All parents are asked in the order of keys, also those that cannot decide any more: walks only go forward when needed.
      const found = parent.author(key);
      author = typeof found === 'object' ? await found : found;
      if (author !== undefined) break;
    }
    writer.add(author ?? commit);
    if (i % 512 === 0 && slices.isDue) await slices.pause();
  }
  return writer;
}

/** Keys at which two metaranges differ; asked in ascending order. */
class ChangedKeys {
  readonly #left: string;
  readonly #right: string;
  readonly #sources: AttributionSources;
  #pages: AsyncIterator<readonly { readonly key: Buffer }[]> | undefined;
  #page: readonly { readonly key: Buffer }[] = [];
  #at = 0;
  #isDone = false;

  constructor(left: string, right: string, sources: AttributionSources) {
    this.#left = left;
    this.#right = right;
    this.#sources = sources;
    this.#isDone = left === right;
  }

  has(key: Buffer): boolean | Promise<boolean> {
    for (; this.#at < this.#page.length; this.#at++) {
      const order = Buffer.compare(this.#page[this.#at]?.key ?? key, key);
      if (order >= 0) return order === 0;
    }
    return !this.#isDone && this.#nextPage().then(() => this.has(key));
  }

  async close(): Promise<void> {
    await this.#pages?.return?.();
  }

  async #nextPage(): Promise<void> {
    const { repository, committed, signal } = this.#sources;
    this.#pages ??= committed
      .diff({
        namespace: namespaceOf(repository),
        left: this.#left,
        right: this.#right,
        signal,
      })
      [Symbol.asyncIterator]();
    const { done, value } = await this.#pages.next();
    this.#isDone = done === true;
    this.#page = done ? [] : value;
    this.#at = 0;
  }
}

/** Of what a snapshot says beside its ranges. */
interface ChangedAuthors {
  readonly paths: Texts;
  readonly attribution: Attribution;
}

/** The authors of a snapshot's entries; asked in ascending order of keys. */
export class AuthorCursor {
  readonly #snapshot: Snapshot;
  readonly #sources: AttributionSources;
  readonly #changed: ChangedAuthors | undefined;
  #changedAt = 0;
  #range = -1;
  #paths: Texts | undefined;
  #attribution: Attribution | undefined;
  #at = 0;

  constructor(snapshot: Snapshot, changed: ChangedAuthors | undefined, sources: AttributionSources) {
    this.#snapshot = snapshot;
    this.#changed = changed;
    this.#sources = sources;
  }

  at(key: Buffer): string | Promise<string> {
    return this.#authorOfChange(key) ?? this.#authorInRange(key);
  }

  /** `undefined` where the snapshot's ranges say it. */
  #authorOfChange(key: Buffer): string | undefined {
    if (!this.#changed) return undefined;
    const { paths, attribution } = this.#changed;
    for (; this.#changedAt < attribution.indexes.length; this.#changedAt++) {
      const order = paths.compare(this.#changedAt, key);
      if (order >= 0) return order === 0 ? attribution.commits[attribution.indexes[this.#changedAt] ?? 0] : undefined;
    }
    return undefined;
  }

  #authorInRange(key: Buffer): string | Promise<string> {
    const range = this.#snapshot.ranges[this.#range];
    if (!range || Buffer.compare(range.maxKey, key) < 0) return this.#enter(key).then(() => this.#authorInRange(key));
    // One commit wrote all of it.
    if ('commit' in range.by) return range.by.commit;
    const { count } = range;
    for (; this.#at < count; this.#at++) {
      const order = this.#paths?.compare(this.#at, key) ?? 0;
      if (order === 0) return this.#attribution?.commits[this.#attribution.indexes[this.#at] ?? 0] ?? this.#missing(key);
      if (order > 0) break;
    }
    return this.#missing(key);
  }

  async #enter(key: Buffer): Promise<void> {
    const { repository, files } = this.#sources;
    let range: IndexedRange | undefined;
    do range = this.#snapshot.ranges[++this.#range];
    while (range && Buffer.compare(range.maxKey, key) < 0);
    if (!range) this.#missing(key);
    else if ('file' in range.by)
      [this.#paths, this.#attribution] = await Promise.all([
        files.texts(repository, rangeFile(range.id), 'path'),
        files.attribution(repository, range),
      ]);
    this.#at = 0;
  }

  #missing(key: Buffer): never {
    throw new SrvError(
      'corrupt',
      `the index of commit ${this.#snapshot.commit} lacks ${JSON.stringify(key.toString('utf8'))}; \`cli search rebuild\` makes it again`,
    );
  }
}
