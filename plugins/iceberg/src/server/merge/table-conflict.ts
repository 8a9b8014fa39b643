/** Pointers of tables that both sides of a merge changed: the tables are merged. */
import { SrvError, isSrvError } from '@srv/kernel';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { isCatalogError } from '../errors.js';
import { isObject, parseExact, writeExact } from '../exact-json.js';
import { nextLog } from '../metadata/log.js';
import { shownName, tableAt } from '../names.js';
import { ownAddress } from '../storage/table-files.js';
import { mergeTables } from './merge-tables.js';
import type { Engine, Entry, ObjectConflict, ObjectMerge, Repository } from '@srv/engine/contract';
import type { TableMetadata } from '../metadata/model.js';
import type { TablePlace } from '../names.js';
import type { TableFiles } from '../storage/table-files.js';
import type { MergedTable } from './merge-tables.js';

interface ConflictParts {
  readonly engine: Engine;
  readonly files: TableFiles;
}

/** A table as a side has it. */
interface SideTable {
  readonly location: string;
  readonly metadata: TableMetadata;
}

/** A table with more is merged again then. @bound bytes of new files of a table that are held until all tables are merged */
const maxHeld = 8 << 20;

/** Bytes of the longest pointer. */
const maxPointer = 1 << 20;

/** @returns `undefined` for objects that are not tables. @throws SrvError `conflict` that names the table and the reasons. */
export async function mergeTableObjects(conflict: ObjectConflict, parts: ConflictParts): Promise<ObjectMerge | undefined> {
  const table = tableAt(conflict.path);
  if (!table) return undefined;
  const { repository } = conflict;
  return naming(table, async () => {
    const { destination, source, base } = await sidesOf(conflict, parts);
    const options = { read: (address: string) => parts.files.read(repository, address), now: Date.now() };
    const sides = { base: base.metadata, destination: destination.metadata, source: source.metadata };
    const merge = (): Promise<MergedTable> => mergeTables(sides, options);
    const merged = await merge();
    const held = sizeOf(merged) > maxHeld ? undefined : merged;
    return { carryOut: async () => store(repository, destination, held ?? (await naming(table, merge)), parts.files) };
  });
}

/** @throws SrvError `conflict` that names the table, for what is a reason not to merge it. */
async function naming<T>(table: Pick<TablePlace, 'namespace' | 'table'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isReason = error instanceof AvroError || isCatalogError(error) || isSrvError(error, 'conflict', 'invalid');
    if (!isReason) throw error;
    throw new SrvError('conflict', `table ${shownName(table)}: ${error.message}`, { cause: error });
  }
}

function sizeOf({ files }: MergedTable): number {
  let bytes = 0;
  for (const file of files.values()) bytes += file.length;
  return bytes;
}

async function sidesOf({ repository, ...entries }: ObjectConflict, parts: ConflictParts) {
  const read = (side: 'destination' | 'source' | 'base') => {
    const entry = entries[side];
    return entry && readTable(repository, entry, side, parts);
  };
  // What the base had may have been collected as garbage.
  const readBase = async () => read('base')?.catch(missing);
  const [destination, source, before] = await Promise.all([read('destination'), read('source'), readBase()]);
  if (!destination) throw new SrvError('conflict', `the destination dropped it, the source has changed it since (${stateOf(source)})`);
  if (!source) throw new SrvError('conflict', `the source dropped it, the destination has changed it since (${stateOf(destination)})`);
  if (destination.metadata['table-uuid'] !== source.metadata['table-uuid'])
    throw new SrvError(
      'conflict',
      `the destination and the source have different tables of this name (${stateOf(destination)}; ${stateOf(source)})`,
    );
  const isSameTable = before?.metadata['table-uuid'] === destination.metadata['table-uuid'];
  const base = isSameTable ? before : await commonFile(repository, destination, source, parts);
  if (!base) throw new SrvError('conflict', 'nothing is known of what the destination and the source had in common');
  return { destination, source, base };
}

function missing(error: unknown): undefined {
  if (isSrvError(error, 'no_data') || (isCatalogError(error) && error.status === 404)) return undefined;
  throw error;
}

function stateOf(table: SideTable | undefined): string {
  return `UUID ${table?.metadata['table-uuid']}, snapshot ${table?.metadata['current-snapshot-id'] ?? 'none'}`;
}

/** What the base had may be of before the tables of a copied repository were rewritten. */
async function readTable(
  repository: Repository,
  entry: Entry,
  side: 'destination' | 'source' | 'base',
  { engine, files }: ConflictParts,
): Promise<SideTable> {
  if (entry.size > maxPointer) throw new SrvError('conflict', 'the object is not a pointer to a table');
  const pieces: Buffer[] = [];
  for await (const piece of await engine.open(repository, entry)) pieces.push(piece as Buffer);
  const pointer = await parseExact(Buffer.concat(pieces), 'the object');
  const location = isObject(pointer) ? pointer['metadata-location'] : undefined;
  if (isObject(pointer) && pointer['pending'] !== undefined)
    throw new SrvError('conflict', 'a change of several tables was under way when a side was committed; commit that side again');
  if (typeof location !== 'string') throw new SrvError('conflict', 'the object is not a pointer to a table');
  return { location, metadata: await files.readMetadata(repository, side === 'base' ? ownAddress(repository, location) : location) };
}

/** The newest metadata file that both sides come from. */
async function commonFile(
  repository: Repository,
  destination: SideTable,
  source: SideTable,
  { files }: ConflictParts,
): Promise<SideTable | undefined> {
  const logOf = ({ location, metadata }: SideTable): string[] => [
    ...metadata['metadata-log'].map(line => String(line['metadata-file'])),
    location,
  ];
  const theirs = new Set(logOf(source));
  const location = logOf(destination)
    .reverse()
    .find(address => theirs.has(address));
  return location === undefined ? undefined : { location, metadata: await files.readMetadata(repository, location) };
}

/** The metadata file comes last: its readers find what it names. */
async function store(repository: Repository, { location, metadata }: SideTable, merged: MergedTable, files: TableFiles) {
  for (const [address, bytes] of merged.files) await files.write(repository, address, bytes);
  const next = nextLog(metadata, merged.metadata, location);
  const written = await files.writeMetadata(repository, next, location);
  const pointer = { 'table-uuid': next['table-uuid'], 'metadata-location': written };
  return { body: Buffer.from(writeExact(pointer)), contentType: 'application/json' };
}
