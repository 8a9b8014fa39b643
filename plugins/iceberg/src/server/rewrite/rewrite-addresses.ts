/**
 * Rewrites the metadata of a table whose files were copied: their addresses begin with another place now. Files of data and of
 * statistics stay as they are; files of deletions by position, manifests, manifest lists and the metadata file are written again,
 * beside the old ones. Their names follow from the old addresses, so that a table that several branches have gets the same files on
 * each.
 */
import { createHash } from 'node:crypto';
import { namingFile } from '@srv/lib-records/tables/avro/error';
import { CatalogError } from '../errors.js';
import { readManifestList, writeManifestList } from '../manifests/manifest-list.js';
import { toWrite } from '../metadata/model.js';
import { mapManifestPaths } from './manifest-paths.js';
import { mapDeletes } from './position-deletes.js';
import type { Repository } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { ManifestFile } from '../manifests/manifest-list.js';
import type { Snapshot, TableMetadata } from '../metadata/model.js';
import type { TableFiles } from '../storage/table-files.js';
import type { DeletesEntry, MovedDeletes } from './manifest-paths.js';

export interface MovedPrefixes {
  /** What addresses begin with in the files. */
  readonly from: string;
  /** What they are to begin with; the files lie there. */
  readonly to: string;
}

interface RewriteOptions extends MovedPrefixes {
  readonly repository: Repository;
  readonly files: Pick<TableFiles, 'read' | 'write' | 'writeJson'>;
}

interface RewrittenTable {
  /** Address of the metadata file. */
  readonly location: string;
  readonly metadata: TableMetadata;
}

/** Settings whose values are addresses. */
const placeSettings = ['write.data.path', 'write.metadata.path', 'write.object-storage.path', 'write.folder-storage.path'];

/** @param address of the metadata file, as it was. @throws CatalogError 400 for files that are not below `from`, AvroError. */
export async function rewriteAddresses(address: string, metadata: TableMetadata, options: RewriteOptions): Promise<RewrittenTable> {
  return new Rewrite(options).table(address, metadata);
}

/** As text, for the metadata of views. */
export function movedAddress(address: string, { from, to }: MovedPrefixes): string {
  const plain = address.replace(/^s3[an]:/, 's3:');
  if (plain.startsWith(from)) return to + plain.slice(from.length);
  if (plain.startsWith(to)) return plain;
  throw new CatalogError(400, 'BadRequestException', `${address} does not begin with ${from}; copy the file there first`);
}

export function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}

class Rewrite {
  readonly #options: RewriteOptions;
  readonly #manifests = new Map<string, Pick<ManifestFile, 'path' | 'length'>>();
  readonly #deletes = new Map<string, MovedDeletes>();

  constructor(options: RewriteOptions) {
    this.#options = options;
  }

  async table(address: string, metadata: TableMetadata): Promise<RewrittenTable> {
    const moved = (text: unknown): string => movedAddress(String(text), this.#options);
    const place = withoutSlash(moved(`${withoutSlash(metadata.location)}/`));
    const folder = `${place}/metadata`;
    const snapshots: Snapshot[] = [];
    for (const snapshot of metadata.snapshots) snapshots.push(await this.#snapshot(snapshot, metadata, folder));
    const withPath =
      (member: string) =>
      (file: JsonObject): JsonObject =>
        file[member] === undefined ? file : { ...file, [member]: moved(file[member]) };
    const properties = Object.entries(metadata.properties).map(([name, value]) =>
      placeSettings.includes(name) ? [name, moved(value)] : [name, value],
    );
    const next: TableMetadata = {
      ...metadata,
      location: place,
      snapshots,
      properties: Object.fromEntries(properties) as Record<string, string>,
      'metadata-log': metadata['metadata-log'].map(withPath('metadata-file')),
      statistics: metadata.statistics.map(withPath('statistics-path')),
      'partition-statistics': metadata['partition-statistics'].map(withPath('statistics-path')),
    };
    const location = rewrittenMetadata(address, folder, this.#options);
    await this.#options.files.writeJson(this.#options.repository, location, toWrite(next));
    return { location, metadata: next };
  }

  async #snapshot(snapshot: Snapshot, { 'format-version': formatVersion }: TableMetadata, folder: string): Promise<Snapshot> {
    const { 'manifest-list': list, manifests } = snapshot;
    if (Array.isArray(manifests)) {
      const moved: string[] = [];
      for (const manifest of manifests) moved.push((await this.#manifest(String(manifest), folder)).path);
      return { ...snapshot, manifests: moved };
    }
    if (typeof list !== 'string') return snapshot;
    const bytes = await this.#read(list);
    const lines: ManifestFile[] = [];
    for (const line of await namingFile(list, () => readManifestList(bytes)))
      lines.push({ ...line, ...(await this.#manifest(line.path, folder)) });
    const whole = (value: unknown): bigint | undefined =>
      value === undefined || value === null ? undefined : BigInt(value as number | bigint);
    const facts = {
      formatVersion,
      snapshotId: BigInt(snapshot['snapshot-id']),
      parentId: whole(snapshot['parent-snapshot-id']),
      sequence: whole(snapshot['sequence-number']) ?? 0n,
      firstRowId: whole(snapshot['first-row-id']),
    };
    const address = `${folder}/snap-${facts.snapshotId}-${this.#nameOf(list)}.avro`;
    await this.#write(address, await writeManifestList(lines, facts, this.#syncOf(list)));
    return { ...snapshot, 'manifest-list': address };
  }

  async #manifest(old: string, folder: string): Promise<Pick<ManifestFile, 'path' | 'length'>> {
    const known = this.#manifests.get(old);
    if (known) return known;
    const bytes = await this.#read(old);
    const moves = {
      address: (address: string) => movedAddress(address, this.#options),
      deletes: (entry: DeletesEntry) => this.#movedDeletes(entry),
    };
    const next = await namingFile(old, () => mapManifestPaths(bytes, this.#syncOf(old), moves));
    const made = { path: `${folder}/${this.#nameOf(old)}-m0.avro`, length: BigInt(next.length) };
    await this.#write(made.path, next);
    this.#manifests.set(old, made);
    return made;
  }

  async #movedDeletes({ path: old, format, isRemoved }: DeletesEntry): Promise<MovedDeletes> {
    const moved = movedAddress(old, this.#options);
    const path = `${moved.slice(0, moved.lastIndexOf('/'))}/${this.#nameOf(old)}-deletes.parquet`;
    // The file may have been removed since.
    if (isRemoved) return { path };
    const known = this.#deletes.get(old);
    if (known) return known;
    if (format !== 'parquet')
      throw new CatalogError(
        400,
        'BadRequestException',
        `${old} deletes rows by position in a file of the format ${format}, and only Parquet is rewritten; rewrite the data files of the table first, where it comes from`,
      );
    const { bytes, bounds } = await mapDeletes(old, await this.#read(old), address => movedAddress(address, this.#options));
    await this.#write(path, bytes);
    const made = { path, length: bytes.length, bounds };
    this.#deletes.set(old, made);
    return made;
  }

  #read(address: string): Promise<Buffer> {
    return this.#options.files.read(this.#options.repository, movedAddress(address, this.#options));
  }

  #write(address: string, bytes: Buffer): Promise<void> {
    return this.#options.files.write(this.#options.repository, address, bytes);
  }

  #nameOf(address: string): string {
    return nameOf(address, this.#options);
  }

  #syncOf(address: string): Buffer {
    return hashOf(address, this.#options).subarray(16, 32);
  }
}

/** Of the file that a file becomes, in the shape of a UUID. */
function nameOf(address: string, prefixes: MovedPrefixes): string {
  const text = hashOf(address, prefixes).toString('hex');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20, 32)].join('-');
}

function hashOf(address: string, { from, to }: MovedPrefixes): Buffer {
  return createHash('sha256').update([address, from, to].join('\n')).digest();
}

/** Address of the metadata file that replaces one. @param folder of metadata files. */
export function rewrittenMetadata(address: string, folder: string, prefixes: MovedPrefixes): string {
  const version = /\/(\d{1,9})-[^/]*$/.exec(address)?.[1] ?? '00000';
  return `${folder}/${version}-${nameOf(address, prefixes)}.metadata.json`;
}
