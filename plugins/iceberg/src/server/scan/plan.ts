/** What a scan of a table reads: files of its current snapshot, and the deletions that apply to each. */
import { SrvError, isSrvError, messageOf, throwIfAborted } from '@srv/kernel';
import { namingFile } from '@srv/lib-records/tables/avro/error';
import { isCatalogError } from '../errors.js';
import { readManifestList } from '../manifests/manifest-list.js';
import { ownAddress } from '../storage/table-files.js';
import { positionsOf } from './deletion-vector.js';
import { eachLiveFile } from './entries.js';
import { checkNestedNames, columnsOf } from './sql-types.js';
import type { Repository } from '@srv/engine/contract';
import type { ScanColumn, ScanFile, ScanGroup, TableScan } from '@srv/lib-records/tables/catalog-tables';
import type { TableMetadata } from '../metadata/model.js';
import type { TableFiles } from '../storage/table-files.js';
import type { LiveFile } from './entries.js';

/** Files of one table. */
const maxFiles = 10_000;

interface PlanSources {
  readonly repository: Repository;
  readonly files: TableFiles;
  readonly signal: AbortSignal | undefined;
}

interface ScanSources extends PlanSources {
  /** Address of a file as this repository knows it. @throws SrvError `denied` outside of the table: who may read a table may read its files. */
  readonly own: (address: string) => string;
}

/** @throws AvroError, CatalogError, SrvError `invalid` for tables that cannot be read or have too many files, `unsupported` for what SQL does not have. */
export async function planScan(metadata: TableMetadata, plan: PlanSources): Promise<TableScan> {
  const { repository } = plan;
  const folder = `${ownAddress(repository, metadata.location)}/`;
  const own = (address: string): string => {
    const found = ownAddress(repository, address);
    if (!found.startsWith(folder)) throw new SrvError('denied', `${address} lies outside of the table, whose files are in ${folder}`);
    return found;
  };
  const sources = { ...plan, own };
  const schemas = metadata.schemas.map(({ fields }) => fields);
  const current = metadata.schemas.find(schema => schema['schema-id'] === metadata['current-schema-id']);
  if (!current || current.fields.length === 0) throw new SrvError('invalid', 'the table has no columns');
  checkNestedNames(schemas);
  const columns = columnsOf(current.fields);
  const files = await liveFiles(metadata, sources);
  const groups = await groupsOf(files, metadata, sources);
  return { columns, formerColumns: formerColumns(groups, columns, schemas), groups };
}

async function liveFiles(metadata: TableMetadata, { repository, files, signal, own }: ScanSources): Promise<LiveFile[]> {
  const id = metadata['current-snapshot-id'];
  const snapshot = metadata.snapshots.find(one => id !== undefined && BigInt(one['snapshot-id']) === BigInt(id));
  if (!snapshot) return [];
  const list = snapshot['manifest-list'];
  if (typeof list !== 'string')
    throw new SrvError('unsupported', 'the snapshot has no manifest list; commit to the table once with format version 2');
  const read = (address: string): Promise<Buffer> => files.read(repository, own(address));
  const found: LiveFile[] = [];
  for (const manifest of await namingFile(list, async () => readManifestList(await read(list)))) {
    throwIfAborted(signal);
    await namingFile(manifest.path, async () =>
      eachLiveFile(await read(manifest.path), manifest, file => {
        if (found.length >= maxFiles) throw new SrvError('invalid', `the table has more than ${maxFiles} files; compact it`);
        found.push(file);
      }),
    );
  }
  return found;
}

/** Data files with the same deletions, together. */
async function groupsOf(files: readonly LiveFile[], metadata: TableMetadata, sources: ScanSources): Promise<ScanGroup[]> {
  const unsupported = files.find(({ format, content }) => format !== 'parquet' && !(format === 'puffin' && content === 'positions'));
  if (unsupported)
    throw new SrvError(
      'unsupported',
      `${unsupported.address} is a file of the format ${unsupported.format || 'unknown'}; SQL reads Parquet`,
    );
  const unpartitioned = new Set(metadata['partition-specs'].filter(({ fields }) => fields.length === 0).map(spec => spec['spec-id'] ?? 0));
  const vectors = await vectorsOf(files, sources);
  const positions = files.filter(({ content, format }) => content === 'positions' && format === 'parquet');
  const equal = files.filter(({ content }) => content === 'equality');
  const groups = new Map<string, LiveFile[]>();
  for (const file of files) {
    if (file.content !== 'data') continue;
    const key = positions.length === 0 && equal.length === 0 ? '' : `${file.sequence} ${file.partition}`;
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return [...groups.values()].map(data => {
    const [{ sequence, partition }] = data as [LiveFile];
    const own = new Map(data.flatMap(({ address }) => (vectors.has(address) ? [[address, vectors.get(address) ?? []] as const] : [])));
    return {
      data: data.map(file => scanFile(file.address, sources)),
      positions: positions.filter(deletion => deletion.sequence >= sequence).map(file => scanFile(file.address, sources)),
      vectors: own,
      equal: equal
        .filter(deletion => deletion.sequence > sequence && (unpartitioned.has(deletion.specId) || deletion.partition === partition))
        .map(file => ({ file: scanFile(file.address, sources), columns: file.equalityIds })),
    };
  });
}

async function vectorsOf(
  files: readonly LiveFile[],
  { repository, files: tableFiles, signal, own }: ScanSources,
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const { format, address, dataFile, offset, length } of files) {
    if (format !== 'puffin') continue;
    throwIfAborted(signal);
    if (dataFile === undefined || offset === undefined || length === undefined)
      throw new SrvError('invalid', `${address} is a deletion vector of which the manifest does not say whose it is`);
    const whole = await tableFiles.read(repository, own(address));
    found.set(dataFile, positionsOf(whole.subarray(offset, offset + length)));
  }
  return found;
}

/** Columns that deletions name, and the table has no more. */
function formerColumns(
  groups: readonly ScanGroup[],
  columns: readonly ScanColumn[],
  schemas: readonly TableMetadata['schemas'][number]['fields'][],
): ScanColumn[] {
  const missing = new Set(groups.flatMap(({ equal }) => equal.flatMap(({ columns: ids }) => ids)));
  for (const { id } of columns) missing.delete(id);
  return [...missing].map(id => {
    const field = schemas.flat().find(one => one['id'] === id);
    if (!field) throw new SrvError('unsupported', `rows are deleted by column ${id}, which is not at the top of a schema`);
    const [column] = columnsOf([field]);
    if (!column) throw new SrvError('internal', 'a column was lost');
    return column;
  });
}

function scanFile(address: string, { repository, files, own }: ScanSources): ScanFile {
  const found = own(address);
  return {
    address,
    async open(signal) {
      try {
        return await files.open(repository, found, signal);
      } catch (error) {
        if (isCatalogError(error) || isSrvError(error, 'no_data')) throw new SrvError('invalid', messageOf(error), { cause: error });
        throw error;
      }
    },
  };
}
