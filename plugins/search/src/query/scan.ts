/** Reads the index of a commit in order of paths, without the ranges that cannot hold a result. */
import { Slices } from '../index/slice.js';
import { RangeRow } from './range-row.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { FoundObject } from '../contract.js';
import type { IndexedRange, Snapshot } from '../format/snapshot.js';
import type { IndexFiles } from '../index/index-files.js';
import type { FieldName } from '../where/fields.js';
import type { Filter } from '../where/filter.js';
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
export async function* scan(request: ScanRequest, sources: ScanSources): AsyncGenerator<FoundObject> {
  const { snapshot, filter, signal } = request;
  const ranges = snapshot.ranges.filter(range => mayHoldKeys(range, request));
  const committers = new Map<string, string>();
  const loader = new RangeLoader(request, sources, committers);
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
        const all = await loader.load(range, everyField);
        row.use(all);
        isComplete = true;
      }
      yield presented(row);
    }
  }
}

class RangeLoader {
  readonly #request: ScanRequest;
  readonly #sources: ScanSources;
  readonly #committers: Map<string, string>;

  constructor(request: ScanRequest, sources: ScanSources, committers: Map<string, string>) {
    this.#request = request;
    this.#sources = sources;
    this.#committers = committers;
  }

  /** What the filter reads; `undefined` when no entry of the range can pass. */
  async forFilter(range: IndexedRange): Promise<LoadedColumns | undefined> {
    const { repository, filter } = this.#request;
    const { sizes, times } = await this.#sources.files.head(repository, range.id);
    if (!filter.mayHold({ size: sizes, modified: times })) return undefined;
    const isWhole = isInside(range.minKey, this.#request) && isInside(range.maxKey, this.#request);
    return this.load(range, [...filter.fields, ...(isWhole ? [] : (['path'] as const))]);
  }

  async load(range: IndexedRange, fields: readonly (FieldName | 'metadata')[]): Promise<LoadedColumns> {
    const { repository } = this.#request;
    const { files } = this.#sources;
    const wants = new Set(fields);
    const texts = ['path', 'etag', 'type', 'metadata'] as const;
    const wanted = texts.filter(column => wants.has(column === 'type' ? 'content_type' : column));
    const numbers = (['size', 'modified'] as const).filter(column => wants.has(column));
    const [foundTexts, foundNumbers, attribution] = await Promise.all([
      Promise.all(wanted.map(async column => [column, await files.texts(repository, range.id, column)] as const)),
      Promise.all(numbers.map(async column => [column, await files.numbers(repository, range.id, column)] as const)),
      wants.has('commit_id') || wants.has('committer') ? files.attribution(repository, range) : undefined,
    ]);
    return {
      texts: Object.fromEntries(foundTexts),
      numbers: Object.fromEntries(foundNumbers),
      ...(attribution ? { attribution } : {}),
      ...(attribution && wants.has('committer') ? { committers: await this.#committersOf(attribution.commits) } : {}),
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
    ...(commitId === undefined ? {} : { commitId }),
    ...(committer === undefined ? {} : { committer }),
    ...(contentType === undefined ? {} : { contentType }),
  };
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
