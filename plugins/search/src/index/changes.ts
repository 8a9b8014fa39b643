/**
 * What differs between a commit and the ranges that its first parent's index is about, piece by piece: where it is little, those
 * ranges stay, with the differences beside them; elsewhere the ranges of the commit are to be indexed.
 */
import { decodeValue, sameIdentity } from '@srv/engine/tables/format';
import { namespaceOf } from '@srv/lib-stores/block';
import { AttributionWriter } from '../format/attribution.js';
import { ColumnsWriter } from '../format/columns-writer.js';
import { AuthorCursor } from './attribute.js';
import { changesFile } from './index-files.js';
import { piecesOf } from './pieces.js';
import { Slices } from './slice.js';
import type { Commit, Comparison, RangeDescriptor } from '@srv/engine/contract';
import type { Attribution } from '../format/attribution.js';
import type { WholeColumns } from '../format/columns-writer.js';
import type { IndexedChanges, IndexedRange, Snapshot } from '../format/snapshot.js';
import type { AttributionSources, ParentWalk } from './attribute.js';
import type { Piece } from './pieces.js';

/** Changes that one snapshot has beside its ranges: they are read, and written again, whole. */
const maxChanges = 20_000;
/** Entries of a piece for each of its changes: with fewer, changes cost more than they save. */
const entriesPerChange = 4;

interface ChangesRequest {
  readonly commit: Commit;
  /** Of the commit. */
  readonly ranges: readonly RangeDescriptor[];
  readonly first: Snapshot;
  /** The other parents, from the second one. */
  readonly others: readonly ParentWalk[];
}

/** A piece of a snapshot: ranges that are indexed already, or ranges of the commit. */
type PlannedPiece = { readonly indexed: readonly IndexedRange[] } | { readonly own: readonly RangeDescriptor[] };

export interface Plan {
  /** In order of keys. */
  readonly pieces: readonly PlannedPiece[];
  /** Of the pieces that are indexed already. */
  readonly changes?: IndexedChanges;
}

/** Writes the file of the changes, if there are any. */
export async function planChanges(request: ChangesRequest, sources: AttributionSources): Promise<Plan> {
  const { first, ranges } = request;
  const known = first.changes && (await knownChanges(first.changes, sources));
  const merged = new MergedChanges(request, known, sources);
  const pieces: PlannedPiece[] = [];
  try {
    for (const piece of piecesOf(first.ranges, ranges))
      pieces.push((await merged.addPiece(piece)) ? { indexed: piece.base } : { own: piece.own });
  } finally {
    await merged.close();
  }
  const { columns, authors } = merged;
  if (columns.count === 0) return { pieces };
  const writer = new AttributionWriter();
  for (const author of authors) writer.add(author);
  const { single } = writer;
  const by =
    single === undefined ? { file: await sources.files.writeAttribution(sources.repository, writer.encode()) } : { commit: single };
  return { pieces, changes: { id: await sources.files.writeChanges(sources.repository, columns.finish()), count: columns.count, by } };
}

/** Changes that were made before, with their authors. */
interface KnownChanges extends WholeColumns {
  readonly count: number;
  readonly attribution: Attribution;
}

async function knownChanges(changes: IndexedChanges, { repository, files }: AttributionSources): Promise<KnownChanges> {
  const columns = await files.whole(repository, changesFile(changes.id), changes.count);
  return { ...columns, count: changes.count, attribution: await files.attribution(repository, changes) };
}

/** Changes of the first parent's index together with those of the commit. Pieces and keys must ascend. */
class MergedChanges {
  readonly columns = new ColumnsWriter();
  /** Of each entry. */
  readonly authors: string[] = [];
  readonly #request: ChangesRequest;
  readonly #known: KnownChanges | undefined;
  readonly #made: ChangeCursor;
  readonly #firstAuthors: AuthorCursor;
  readonly #slices: Slices;
  #at = 0;

  constructor(request: ChangesRequest, known: KnownChanges | undefined, sources: AttributionSources) {
    this.#request = request;
    this.#known = known;
    this.#firstAuthors = new AuthorCursor(request.first, known && { paths: known.texts.path, attribution: known.attribution }, sources);
    this.#made = new ChangeCursor(request.first.metarange, request.commit.metarangeId, sources);
    this.#slices = new Slices(sources.signal);
  }

  close(): Promise<void> {
    return this.#made.leave();
  }

  /** @returns whether its changes are few; those of other pieces are left out. */
  async addPiece({ base, own, minKey, maxKey }: Piece): Promise<boolean> {
    const entries = own.reduce((sum, { count }) => sum + count, 0);
    const before = this.columns.count;
    const limit = base.length === 0 ? 0 : Math.min(maxChanges, before + Math.floor(entries / entriesPerChange));
    // What lies between two pieces is in neither commit.
    this.#passKnown(minKey);
    if (limit > before) {
      await this.#made.seek(minKey);
      for (let made = this.#made.current; made && Buffer.compare(made.key, maxKey) <= 0; made = await this.#made.next()) {
        await this.#addKnown({ below: made.key, limit });
        await this.#addMade(made);
        if (this.columns.count > limit) break;
      }
      await this.#addKnown({ upTo: maxKey, limit });
      if (this.columns.count <= limit) return true;
    }
    await this.#made.leave();
    this.columns.truncate(before);
    this.authors.length = before;
    return false;
  }

  async #addMade({ key, left, right }: Comparison): Promise<void> {
    if (this.#slices.isDue) await this.#slices.pause();
    // What was known of the same key is replaced.
    if (this.#known && this.#at < this.#known.count && this.#known.texts.path.compare(this.#at, key) === 0) this.#at++;
    this.authors.push(right ? await this.#authorOf(key, !!left && sameIdentity(left, right)) : this.#request.commit.id);
    if (right) this.columns.add(key, decodeValue(right).data);
    else this.columns.addRemoved(key);
  }

  /** Adds what was known, below a key or up to one, or until there are more than `limit`. */
  async #addKnown(end: { readonly limit: number } & ({ readonly below: Buffer } | { readonly upTo: Buffer })): Promise<void> {
    if (!this.#known) return;
    const { count, texts, attribution } = this.#known;
    const [key, last] = 'below' in end ? [end.below, -1] : [end.upTo, 0];
    for (; this.#at < count && this.columns.count <= end.limit; this.#at++) {
      if (this.#at % 256 === 0 && this.#slices.isDue) await this.#slices.pause();
      if (texts.path.compare(this.#at, key) > last) return;
      this.columns.copy(this.#known, this.#at);
      this.authors.push(attribution.commits[attribution.indexes[this.#at] ?? 0] ?? this.#request.commit.id);
    }
  }

  #passKnown(key: Buffer): void {
    while (this.#known && this.#at < this.#known.count && this.#known.texts.path.compare(this.#at, key) < 0) this.#at++;
  }

  /** The first parent with the same entry decides; it may have been stored at another time. */
  async #authorOf(key: Buffer, isInFirst: boolean): Promise<string> {
    if (isInFirst) return this.#firstAuthors.at(key);
    for (const parent of this.#request.others) {
      const author = await parent.author(key);
      if (author !== undefined) return author;
    }
    return this.#request.commit.id;
  }
}

/** Entries at which two metaranges differ, from one key on. */
class ChangeCursor {
  readonly #left: string;
  readonly #right: string;
  readonly #sources: AttributionSources;
  #pages: AsyncIterator<readonly Comparison[]> | undefined;
  #page: readonly Comparison[] = [];
  #at = 0;
  #isDone: boolean;

  constructor(left: string, right: string, sources: AttributionSources) {
    this.#left = left;
    this.#right = right;
    this.#sources = sources;
    this.#isDone = left === right;
  }

  /** `undefined` at the end. */
  get current(): Comparison | undefined {
    return this.#page[this.#at];
  }

  /** Goes to the first one whose key is `key` or larger. Keys must ascend. */
  async seek(key: Buffer): Promise<void> {
    if (this.#isDone) return;
    const { repository, committed, signal } = this.#sources;
    this.#pages ??= committed
      .diff({ namespace: namespaceOf(repository), left: this.#left, right: this.#right, exact: true, start: key, signal })
      [Symbol.asyncIterator]();
    let { current } = this;
    if (!current) current = await this.next();
    while (current && Buffer.compare(current.key, key) < 0) current = await this.next();
  }

  async next(): Promise<Comparison | undefined> {
    this.#at++;
    while (this.#at >= this.#page.length && !this.#isDone) {
      const found = await this.#pages?.next();
      this.#isDone = found?.done !== false;
      this.#page = found?.done === false ? found.value : [];
      this.#at = 0;
    }
    return this.current;
  }

  /** What is sought next is far. */
  async leave(): Promise<void> {
    const pages = this.#pages;
    this.#pages = undefined;
    this.#page = [];
    this.#at = 0;
    await pages?.return?.();
  }
}
