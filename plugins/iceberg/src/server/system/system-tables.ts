/**
 * Tables about a ref that other plugins offer, such as the index of objects, as read-only tables of the namespace `system`. Their files
 * are made when a client loads them, below `.tables/system/<table>/<commit>/<hour>`, the metadata last. Nothing points to them, so that
 * they are collected when they are old; a table that is loaded later has others.
 */
import { createHash } from 'node:crypto';
import { SrvError, isSrvError } from '@srv/kernel';
import { CatalogError, isCatalogError } from '../errors.js';
import { writeManifestList } from '../manifests/manifest-list.js';
import { emptyMetadata } from '../metadata/model.js';
import { addressOf } from '../storage/table-files.js';
import { icebergFields } from './columns.js';
import { dataManifest } from './data-manifest.js';
import { parquetFiles } from './parquet-files.js';
import type { Commit, Engine, Repository } from '@srv/engine/contract';
import type { Permission } from '@srv/kernel';
import type { OpenSystemTable, SystemTable } from '@srv/lib-records/tables/system-tables';
import type { TableMetadata } from '../metadata/model.js';
import type { NamespacePlace, TablePlace } from '../names.js';
import type { TableFiles } from '../storage/table-files.js';
import type { LoadedTable } from '../tables.js';

export const systemNamespace = 'system';
/** Milliseconds for which files are used. Collections leave younger ones alone. */
const period = 3_600_000;

interface SystemTableSources {
  readonly engine: Pick<Engine, 'getCommit' | 'getRepository'>;
  readonly files: TableFiles;
  /** By name. */
  readonly offered: () => Readonly<Record<string, SystemTable>>;
}

export class SystemTables {
  readonly #sources: SystemTableSources;
  /** Tables that are being made, by folder: clients that load one at once share the work. */
  readonly #making = new Map<string, Promise<LoadedTable>>();

  constructor(sources: SystemTableSources) {
    this.#sources = sources;
  }

  /** Names of the tables of a namespace. */
  namesIn({ namespace }: Pick<NamespacePlace, 'namespace'>): readonly string[] {
    return namespace.length === 1 && namespace[0] === systemNamespace ? Object.keys(this.#sources.offered()) : [];
  }

  /** Whether the lists of a repository show the namespace. */
  async isListed(repository: string): Promise<boolean> {
    const found = await Promise.all(Object.values(this.#sources.offered()).map(table => table.isListed(repository)));
    return found.includes(true);
  }

  /** What reading a table takes; `undefined`: it is not one of these. */
  permission(place: TablePlace): Permission | undefined {
    return this.#find(place)?.permission(place.repository);
  }

  /** @throws CatalogError 404 without the ref, 400 where the table is not offered for the repository, 503 while it is being made. */
  async load(place: TablePlace): Promise<LoadedTable> {
    const table = this.#find(place);
    if (!table) throw new SrvError('internal', `${place.table} is not a system table`);
    try {
      const repository = await this.#sources.engine.getRepository(place.repository);
      const commit = await this.#sources.engine.getCommit(repository, place.ref);
      const folder = addressOf(repository.id, `${systemNamespace}/${place.table}/${commit.id}/${Math.floor(Date.now() / period)}`);
      let making = this.#making.get(folder);
      if (!making) {
        making = this.#loaded({ repository, commit, folder, name: place.table, table });
        this.#making.set(folder, making);
        const end = (): void => void this.#making.delete(folder);
        making.then(end, end);
      }
      return await making;
    } catch (error) {
      throw translated(error);
    }
  }

  #find({ namespace, table }: TablePlace): SystemTable | undefined {
    return this.namesIn({ namespace }).includes(table) ? this.#sources.offered()[table] : undefined;
  }

  async #loaded(asked: AskedTable): Promise<LoadedTable> {
    const { files } = this.#sources;
    const location = `${asked.folder}/metadata/v1.metadata.json`;
    try {
      return { location, metadata: await files.readMetadata(asked.repository, location) };
    } catch (error) {
      if (!isCatalogError(error) || error.status !== 404) throw error;
    }
    const opened = await asked.table.open(asked.repository.id, asked.commit.id, { uncommitted: false });
    const metadata = await writeTable(asked, opened, files);
    await files.writeJson(asked.repository, location, metadata);
    return { location, metadata: await files.readMetadata(asked.repository, location) };
  }
}

interface AskedTable {
  readonly repository: Repository;
  readonly commit: Commit;
  /** Address of what is made. */
  readonly folder: string;
  readonly name: string;
  readonly table: SystemTable;
}

/** Everything but the metadata file. */
async function writeTable(
  { repository, commit, folder, name, table }: AskedTable,
  opened: OpenSystemTable,
  files: TableFiles,
): Promise<TableMetadata> {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const written: { readonly address: string; readonly size: number; readonly rows: number }[] = [];
  let rows = 0n;
  for await (const file of parquetFiles(table.columns, opened.rows())) {
    const address = `${folder}/data/${String(written.length).padStart(5, '0')}.parquet`;
    await files.write(repository, address, file.bytes);
    written.push({ address, size: file.bytes.length, rows: file.rows });
    rows += BigInt(file.rows);
  }
  // The same for each server: files of one name have the same bytes.
  const [snapshotId, sync] = [digest(commit.id).readBigUInt64BE() >> 2n, digest(folder).subarray(0, 16)];
  const schema = { type: 'struct', 'schema-id': 0, fields: icebergFields(table.columns) };
  const manifest = await dataManifest(written, { schema, snapshotId, sequence: 1n, sync });
  const [manifestAddress, listAddress] = [`${folder}/metadata/m0.avro`, `${folder}/metadata/snap.avro`];
  await files.write(repository, manifestAddress, manifest);
  const none = { added: 0n, existing: 0n, deleted: 0n };
  const line = {
    path: manifestAddress,
    length: BigInt(manifest.length),
    specId: 0,
    content: 'data' as const,
    sequence: 1n,
    minSequence: 1n,
    snapshotId,
    files: { ...none, added: BigInt(written.length) },
    rows: { ...none, added: rows },
    partitions: undefined,
    firstRowId: undefined,
  };
  const facts = { formatVersion: 2, snapshotId, parentId: undefined, sequence: 1n, firstRowId: undefined };
  await files.write(repository, listAddress, await writeManifestList([line], facts, sync));
  const uuid = digest(`${repository.instanceUid} ${name}`).toString('hex');
  const parts = [uuid.slice(0, 8), uuid.slice(8, 12), uuid.slice(12, 16), uuid.slice(16, 20), uuid.slice(20, 32)];
  const now = commit.creationDate.getTime();
  const snapshot = {
    'snapshot-id': snapshotId,
    'sequence-number': 1,
    'timestamp-ms': now,
    'manifest-list': listAddress,
    summary: { operation: 'append' },
    'schema-id': 0,
  };
  return {
    ...emptyMetadata(folder, parts.join('-')),
    'last-updated-ms': now,
    'last-sequence-number': 1,
    'last-column-id': 3 * schema.fields.length,
    schemas: [schema],
    'current-schema-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    properties: { 'srv.commit': commit.id },
    snapshots: [snapshot],
    refs: { main: { 'snapshot-id': snapshotId, type: 'branch' } },
    'current-snapshot-id': snapshotId,
    'snapshot-log': [{ 'snapshot-id': snapshotId, 'timestamp-ms': now }],
  };
}

/** As the protocol says it. */
function translated(error: unknown): unknown {
  if (!isSrvError(error)) return error;
  const { message } = error;
  if (error.code === 'not_found' || error.code === 'gone') return new CatalogError(404, 'NoSuchTableException', message, { cause: error });
  if (error.code === 'invalid') return new CatalogError(400, 'BadRequestException', message, { cause: error });
  if (error.code === 'unavailable') return new CatalogError(503, 'ServiceUnavailableException', message, { cause: error });
  return error;
}
