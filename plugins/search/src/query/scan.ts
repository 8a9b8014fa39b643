/** Reads the index of a commit in order of paths, without the ranges that cannot hold a result. */
import { removedSize } from '../format/columns-writer.js';
import { changesFile, rangeFile } from '../index/index-files.js';
import { Slices } from '../index/slice.js';
import { overlay } from './overlay.js';
import { RangeRow } from './range-row.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { FoundObject } from '../contract.js';
import type { Texts } from '../format/columns.js';
import type { IndexedChanges, IndexedRange, Snapshot } from '../format/snapshot.js';
import type { IndexFiles } from '../index/index-files.js';
import type { FieldName } from '../where/fields.js';
import type { Filter } from '../where/filter.js';
import type { Change } from './overlay.js';
import type { LoadedColumns } from './range-row.js';

interface ScanRequest {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly filter: Filter;
  readonly prefix: Buffer;
  /** Key after which the results begin; `undefined`: from the beginning. */
  readonly after: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface ScanSources {
  readonly files: IndexFiles;
  readonly engine: Pick<Engine, 'getCommit'>;
}

/** Ranges that are read ahead. */
const ahead = 3;
const everyField: readonly (FieldName | 'metadata')[] = [
  'path',
  'size',
  'modified',
  'etag',
  'content_type',
  'commit_id',
  'committer',
  'metadata',
];

/** Objects that pass. */
export function scan(request: ScanRequest, sources: ScanSources): AsyncGenerator<FoundObject> {
  const { changes } = request.snapshot;
  const loader = new ColumnsLoader(request, sources);
  const found = scanRanges(request, loader);
  return changes ? overlay(found, scanChanges(changes, request, loader)) : found;
}

async function* scanRanges(request: ScanRequest, loader: ColumnsLoader): AsyncGenerator<FoundObject> {
  const { snapshot, filter, signal } = request;
  const ranges = snapshot.ranges.filter(range => mayHoldKeys(range, request));
  const loading: Promise<LoadedColumns | undefined>[] = [];
  const slices = new Slices(signal);
  for (const [i, range] of ranges.entries()) {
    for (let next = loading.length; next < Math.min(ranges.length, i + ahead); next++) {
      const columns = loader.forFilter(ranges[next] ?? range);
      // A failure shows where the range is read.
      columns.catch(() => undefined);
      loading.push(columns);
    }
    const columns = await loading[i];
    // What was read is not kept here: the cache is bounded, a list of all ranges is not.
    loading[i] = Promise.resolve(undefined);
    if (!columns) continue;
    const row = new RangeRow(columns);
    let isComplete = false;
    for (row.at = 0; row.at < range.count; row.at++) {
      if (row.at % 256 === 0 && slices.isDue) await slices.pause();
      if (columns.texts.path && !isInside(columns.texts.path.bytesAt(row.at), request)) continue;
      if (!filter.test(row)) continue;
      if (!isComplete) {
        row.use(await loader.load(rangeFile(range.id), range, everyField));
        isComplete = true;
      }
      yield presented(row);
    }
  }
}

/** What is at the paths where a commit differs from the ranges of its snapshot. */
async function* scanChanges(changes: IndexedChanges, request: ScanRequest, loader: ColumnsLoader): AsyncGenerator<Change> {
  const columns = await loader.load(changesFile(changes.id), changes, everyField);
  const { path } = columns.texts;
  const row = new RangeRow(columns);
  const slices = new Slices(request.signal);
  const { prefix, after } = request;
  const from = after && Buffer.compare(after, prefix) > 0 ? after : prefix;
  for (row.at = path ? lowerBound(path, changes.count, from) : 0; path && row.at < changes.count; row.at++) {
    if (row.at % 256 === 0 && slices.isDue) await slices.pause();
    const key = path.bytesAt(row.at);
    if (!startsWith(key, prefix)) return;
    if (!isInside(key, request)) continue;
    const isWanted = row.number('size') !== removedSize && request.filter.test(row);
    yield { key, object: isWanted ? presented(row) : undefined };
  }
}

class ColumnsLoader {
  readonly #request: ScanRequest;
  readonly #sources: ScanSources;
  readonly #committers = new Map<string, string>();

  constructor(request: ScanRequest, sources: ScanSources) {
    this.#request = request;
    this.#sources = sources;
  }

  /** What the filter reads; `undefined` when no entry of the range can pass. */
  async forFilter(range: IndexedRange): Promise<LoadedColumns | undefined> {
    const { repository, filter } = this.#request;
    const file = rangeFile(range.id);
    const { sizes, times } = await this.#sources.files.head(repository, file);
    if (!filter.mayHold({ size: sizes, modified: times })) return undefined;
    const isWhole = isInside(range.minKey, this.#request) && isInside(range.maxKey, this.#request);
    return this.load(file, range, [...filter.fields, ...(isWhole ? [] : (['path'] as const))]);
  }

  async load(file: string, table: IndexedChanges, fields: readonly (FieldName | 'metadata')[]): Promise<LoadedColumns> {
    const { repository } = this.#request;
    const { files } = this.#sources;
    const wants = new Set(fields);
    const texts = ['path', 'etag', 'type', 'metadata'] as const;
    const wanted = texts.filter(column => wants.has(column === 'type' ? 'content_type' : column));
    const numbers = (['size', 'modified'] as const).filter(column => wants.has(column));
    const [foundTexts, foundNumbers, attribution] = await Promise.all([
      Promise.all(wanted.map(async column => [column, await files.texts(repository, file, column)] as const)),
      Promise.all(numbers.map(async column => [column, await files.numbers(repository, file, column)] as const)),
      wants.has('commit_id') || wants.has('committer') ? files.attribution(repository, table) : undefined,
    ]);
    return {
      texts: Object.fromEntries(foundTexts),
      numbers: Object.fromEntries(foundNumbers),
      attribution,
      committers: attribution && wants.has('committer') ? await this.#committersOf(attribution.commits) : undefined,
    };
  }

  async #committersOf(commits: readonly string[]): Promise<string[]> {
    const names: string[] = [];
    for (const id of commits) {
      let name = this.#committers.get(id);
      if (name === undefined) {
        name = (await this.#sources.engine.getCommit(this.#request.repository, id)).committer;
        this.#committers.set(id, name);
      }
      names.push(name);
    }
    return names;
  }
}

function presented(row: RangeRow): FoundObject {
  const [commitId, committer, contentType] = [row.text('commit_id'), row.text('committer'), row.text('content_type')];
  return {
    path: row.text('path') ?? '',
    size: row.number('size'),
    lastModified: new Date(row.number('modified')),
    etag: row.text('etag') ?? '',
    metadata: row.allMetadata(),
    commitId,
    committer,
    contentType,
  };
}

/** Number of texts before `key`. */
function lowerBound(texts: Texts, count: number, key: Buffer): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (texts.compare(middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Place = Pick<ScanRequest, 'prefix' | 'after'>;

function mayHoldKeys({ minKey, maxKey }: IndexedRange, { prefix, after }: Place): boolean {
  if (after && Buffer.compare(maxKey, after) <= 0) return false;
  return Buffer.compare(maxKey, prefix) >= 0 && (Buffer.compare(minKey, prefix) <= 0 || startsWith(minKey, prefix));
}

function isInside(key: Buffer, { prefix, after }: Place): boolean {
  return startsWith(key, prefix) && (!after || Buffer.compare(key, after) > 0);
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
