/** Tables whose data files nothing here reads: snapshots with manifests as engines write them, and what a ref reads. */
import { randomBytes, randomUUID } from 'node:crypto';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { encodedLong, framed, writeAvro } from '../../src/server/avro/file.js';
import { parseExact, writeExact } from '../../src/server/exact-json.js';
import { eachEntry } from '../../src/server/manifests/manifest.js';
import { readManifestList, writeManifestList } from '../../src/server/manifests/manifest-list.js';
import { TableFiles } from '../../src/server/storage/table-files.js';
import { namespacePath } from './server.js';
import type { SchemaElement } from 'hyparquet-writer';
import type { JsonObject } from '../../src/server/exact-json.js';
import type { ManifestFile } from '../../src/server/manifests/manifest-list.js';
import type { Snapshot, TableMetadata } from '../../src/server/metadata/model.js';
import type { CatalogServer } from './server.js';

const optional = (id: number, name: string) => ({ name, type: ['null', 'long'], 'field-id': id });
const numbered = [optional(3, 'sequence_number'), optional(4, 'file_sequence_number')];
const content = { name: 'content', type: 'int', 'field-id': 134 };
/** Version 1 knows data files only, and has no sequence numbers. */
const manifestSchema = (isFirst: boolean): string =>
  JSON.stringify({
    type: 'record',
    name: 'manifest_entry',
    fields: [
      { name: 'status', type: 'int', 'field-id': 0 },
      optional(1, 'snapshot_id'),
      ...(isFirst ? [] : numbered),
      {
        name: 'data_file',
        'field-id': 2,
        type: {
          type: 'record',
          name: 'r2',
          fields: [
            ...(isFirst ? [] : [content]),
            { name: 'file_path', type: 'string', 'field-id': 100 },
            { name: 'file_format', type: 'string', 'field-id': 101 },
            { name: 'partition', type: { type: 'record', name: 'r102', fields: [] }, 'field-id': 102 },
            { name: 'record_count', type: 'long', 'field-id': 103 },
            { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
            ...(isFirst ? [] : [optional(142, 'first_row_id')]),
          ],
        },
      },
    ],
  });

interface Entry {
  readonly status: 'added' | 'deleted';
  readonly path: string;
  readonly sequence?: bigint;
}

const long = (value: bigint | undefined): Buffer =>
  value === undefined ? encodedLong(0) : Buffer.concat([encodedLong(1), encodedLong(value)]);

function entryBytes({ status, path, sequence }: Entry, id: bigint, isFirst: boolean): Buffer {
  const numbers = [long(sequence), long(status === 'added' ? undefined : sequence), encodedLong(0)];
  return Buffer.concat([
    encodedLong(status === 'added' ? 1 : 2),
    long(id),
    ...(isFirst ? [] : numbers),
    framed(Buffer.from(path)),
    framed(Buffer.from('PARQUET')),
    encodedLong(1),
    encodedLong(1),
    ...(isFirst ? [] : [long(undefined)]),
  ]);
}

/** A data file with these values of the column `id`, the first one of a table. */
export function parquetOf(ids: readonly number[]): Buffer {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 1 },
    { name: 'id', type: 'INT64', repetition_type: 'REQUIRED', field_id: 1 },
  ];
  return Buffer.from(parquetWriteBuffer({ schema, columnData: [{ name: 'id', data: ids.map(BigInt) }] }));
}

export interface TableAt {
  readonly ref: string;
  readonly name: string;
}

export interface WrittenTable {
  readonly metadata: TableMetadata;
  readonly location: string;
}

/** Tables of a repository, in the namespace `sales`. */
export class TableData {
  readonly #server: CatalogServer;
  readonly #repository: string;
  readonly files: TableFiles;

  constructor(server: CatalogServer, repository = 'lake') {
    this.#server = server;
    this.#repository = repository;
    this.files = new TableFiles(server.kernel.services.get('block'));
  }

  async load({ ref, name }: TableAt): Promise<WrittenTable> {
    const { status, body } = await this.#server.call('GET', `${namespacePath(this.#repository, ref, 'sales')}/tables/${name}`);
    if (status !== 200) throw new Error(`${status} ${body}`);
    const answer = (await parseExact(body)) as JsonObject;
    return { metadata: answer['metadata'] as TableMetadata, location: String(answer['metadata-location']) };
  }

  async update({ ref, name }: TableAt, updates: readonly JsonObject[], requirements: readonly JsonObject[] = []): Promise<void> {
    const { status, body } = await this.#server.call('POST', `${namespacePath(this.#repository, ref, 'sales')}/tables/${name}`, {
      body: writeExact({ requirements, updates }),
    });
    if (status !== 200) throw new Error(`${status} ${body}`);
  }

  /** Adds files of one row each. @returns the id of the snapshot. */
  async append(table: TableAt, paths: readonly string[]): Promise<bigint> {
    return this.#snapshot(
      table,
      'append',
      paths.map(path => ({ status: 'added', path })),
      [],
    );
  }

  /** Replaces files by one. */
  async compact(table: TableAt, paths: readonly string[], by: string, operation = 'replace'): Promise<bigint> {
    return this.#snapshot(table, operation, [{ status: 'added', path: by }], paths);
  }

  /** Names of the files that a ref reads, sorted. @param snapshot absent: the current one. */
  async filesAt(table: TableAt, snapshot?: bigint): Promise<string[]> {
    const { metadata } = await this.load(table);
    const id = snapshot ?? metadata['current-snapshot-id'];
    const found = metadata.snapshots.find(known => String(known['snapshot-id']) === String(id));
    if (!found) return [];
    const names: string[] = [];
    for (const { path } of await this.manifests(found))
      await eachEntry(await this.read(path), entry => {
        if (entry.status !== 2) names.push(entry.path);
      });
    return names.sort();
  }

  async manifests(snapshot: Snapshot): Promise<ManifestFile[]> {
    return readManifestList(await this.read(String(snapshot['manifest-list'])));
  }

  async read(address: string): Promise<Buffer> {
    return this.files.read(await this.#server.engine.getRepository(this.#repository), address);
  }

  /** Adds a file to each of several tables of a branch, to all or none. */
  async appendAll(added: readonly { readonly table: TableAt; readonly file: string }[]): Promise<void> {
    const changes: JsonObject[] = [];
    for (const { table, file } of added) {
      const { updates } = await this.#prepared(table, 'append', [{ status: 'added', path: file }], []);
      changes.push({ identifier: { namespace: [this.#repository, table.ref, 'sales'], name: table.name }, requirements: [], updates });
    }
    const { status, body } = await this.#server.call('POST', '/transactions/commit', { body: writeExact({ 'table-changes': changes }) });
    if (status !== 204) throw new Error(`${status} ${body}`);
  }

  async #snapshot(table: TableAt, operation: string, added: readonly Entry[], removed: readonly string[]): Promise<bigint> {
    const { id, updates, requirement } = await this.#prepared(table, operation, added, removed);
    await this.update(table, updates, [requirement]);
    return id;
  }

  async #prepared(table: TableAt, operation: string, added: readonly Entry[], removed: readonly string[]) {
    const { metadata } = await this.load(table);
    // Always a `bigint` where it is read: shorter ones would be numbers.
    const id = (randomBytes(8).readBigUInt64BE() >> 2n) | (1n << 61n);
    const formatVersion = metadata['format-version'] === 1 ? 1 : 2;
    const sequence = formatVersion === 1 ? 0n : BigInt(metadata['last-sequence-number']) + 1n;
    const current = metadata.snapshots.find(known => String(known['snapshot-id']) === String(metadata['current-snapshot-id']));
    const kept: ManifestFile[] = [];
    const own: ManifestFile[] = [];
    const left = new Set(removed);
    for (const manifest of current ? await this.manifests(current) : []) {
      const entries: Entry[] = [];
      let goes = false;
      await eachEntry(await this.read(manifest.path), ({ path, status, sequence: known }) => {
        if (status === 2) return;
        if (left.delete(path)) goes = true;
        entries.push({ status: removed.includes(path) ? 'deleted' : 'added', path, sequence: known ?? manifest.sequence });
      });
      if (!goes) kept.push(manifest);
      else
        own.push(
          await this.#manifest(
            metadata,
            entries.filter(({ status }) => status === 'deleted'),
            { id, sequence },
          ),
        );
      const stay = entries.filter(({ status }) => goes && status === 'added');
      if (stay.length > 0)
        own.push({ ...(await this.#manifest(metadata, stay, { id: manifest.snapshotId, sequence: manifest.sequence })) });
    }
    if (left.size > 0) throw new Error(`not there: ${[...left].join()}`);
    if (added.length > 0) own.push(await this.#manifest(metadata, added, { id, sequence }));
    const address = `${metadata.location}/metadata/snap-${id}.avro`;
    const next = metadata['next-row-id'];
    const facts = { formatVersion, snapshotId: id, parentId: undefined, sequence, firstRowId: undefined };
    await this.write(address, await writeManifestList([...kept, ...own], facts, randomBytes(16)));
    const updates: JsonObject[] = [
      {
        action: 'add-snapshot',
        snapshot: {
          'snapshot-id': id,
          ...(current ? { 'parent-snapshot-id': current['snapshot-id'] } : {}),
          ...(formatVersion === 1 ? {} : { 'sequence-number': sequence }),
          'timestamp-ms': Date.now(),
          'manifest-list': address,
          summary: {
            operation,
            'added-data-files': String(added.length),
            'deleted-data-files': String(removed.length),
            'total-data-files': '0',
          },
          ...(next === undefined ? {} : { 'first-row-id': next, 'added-rows': added.length }),
        },
      },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
    ];
    // As clients do: what others added meanwhile is in no manifest of this snapshot.
    const requirement = { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': metadata['current-snapshot-id'] ?? null };
    return { id, updates, requirement };
  }

  async #manifest(
    metadata: TableMetadata,
    entries: readonly Entry[],
    { id, sequence }: { id: bigint; sequence: bigint },
  ): Promise<ManifestFile> {
    const path = `${metadata.location}/metadata/${randomUUID()}-m0.avro`;
    const isFirst = metadata['format-version'] === 1;
    const header = {
      'avro.schema': manifestSchema(isFirst),
      'format-version': isFirst ? '1' : '2',
      content: 'data',
      'partition-spec-id': '0',
    };
    const bytes = await writeAvro(
      new Map(Object.entries(header).map(([name, value]) => [name, Buffer.from(value)])),
      randomBytes(16),
      entries.map(entry => entryBytes(entry, id, isFirst)),
    );
    await this.write(path, bytes);
    const of = (status: string): bigint => BigInt(entries.filter(entry => entry.status === status).length);
    const counts = { added: of('added'), existing: 0n, deleted: of('deleted') };
    return {
      path,
      length: BigInt(bytes.length),
      specId: 0,
      content: 'data',
      sequence,
      minSequence: sequence,
      snapshotId: id,
      files: counts,
      rows: counts,
      partitions: undefined,
      firstRowId: undefined,
    };
  }

  async write(address: string, bytes: Buffer): Promise<void> {
    await this.files.write(await this.#server.engine.getRepository(this.#repository), address, bytes);
  }
}
