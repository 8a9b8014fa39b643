/** Tables as the HTTP API shows them: integers of 64 bits are texts. */
import { isSrvError } from '@srv/kernel';
import { inParallel } from '@srv/lib-stores/block';
import { CatalogError } from './errors.js';
import { isObject, isSame, plainNumber, plainText } from './exact-json.js';
import { catalogPrefix, tableAt } from './names.js';
import type { DiffItem, Engine, Entry, Page, PageRequest } from '@srv/engine/contract';
import type { JsonObject } from './exact-json.js';
import type { Snapshot, TableMetadata } from './metadata/model.js';
import type { TablePlace } from './names.js';
import type { LoadedTable, Tables } from './tables.js';

export function shownTable({ namespace, table }: TablePlace, { location = '', metadata }: LoadedTable) {
  const schema = metadata.schemas.find(known => known['schema-id'] === metadata['current-schema-id']);
  const spec = metadata['partition-specs'].find(known => known['spec-id'] === metadata['default-spec-id']);
  const current = metadata['current-snapshot-id'];
  return {
    namespace: [...namespace],
    name: table,
    table_uuid: metadata['table-uuid'],
    format_version: metadata['format-version'],
    location: metadata.location,
    metadata_location: location,
    fields: (schema?.fields ?? []).map(field => ({
      id: plainNumber(field['id']),
      name: plainText(field['name']),
      type: typeText(field['type']),
      required: field['required'] === true ? 'yes' : 'no',
    })),
    partitioned_by: (spec?.fields ?? []).map(field => `${plainText(field['name'])}: ${plainText(field['transform'])}`),
    properties: metadata.properties,
    ...(current === undefined ? {} : { current_snapshot_id: plainText(current) }),
    snapshots: metadata.snapshots.map(shownSnapshot),
  };
}

function shownSnapshot(snapshot: Snapshot) {
  const summary = summaryOf(snapshot);
  const parent = snapshot['parent-snapshot-id'];
  const operation = summary['operation'];
  return {
    snapshot_id: plainText(snapshot['snapshot-id']),
    ...(parent === undefined || parent === null ? {} : { parent_snapshot_id: plainText(parent) }),
    creation_date: Math.floor(plainNumber(snapshot['timestamp-ms']) / 1000),
    ...(typeof operation === 'string' ? { operation } : {}),
    ...member('records', summary['total-records']),
    ...member('data_files', summary['total-data-files']),
  };
}

function summaryOf(snapshot: Snapshot | undefined): JsonObject {
  const summary = snapshot?.['summary'];
  return isObject(summary) ? summary : {};
}

function member(name: string, value: unknown): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: plainText(value) };
}

/** A type in one line, such as `list<string>`. */
function typeText(type: unknown): string {
  if (!isObject(type)) return plainText(type);
  if (type['type'] === 'list') return `list<${typeText(type['element'])}>`;
  if (type['type'] === 'map') return `map<${typeText(type['key'])}, ${typeText(type['value'])}>`;
  const fields = Array.isArray(type['fields']) ? type['fields'].filter(isObject) : [];
  return `struct<${fields.map(field => `${plainText(field['name'])}: ${typeText(field['type'])}`).join(', ')}>`;
}

/** Each holds metadata files, and a conflict all that its merge would write. */
const tablesAtOnce = 4;

interface TableDiffRequest extends PageRequest {
  readonly repository: string;
  /** The destination of a merge. */
  readonly left: string;
  readonly right: string;
  readonly type: 'two_dot' | 'three_dot';
}

/** Tables whose pointers differ, with the rows and files that their current snapshots count. */
export async function changedTables(engine: Engine, tables: Tables, request: TableDiffRequest) {
  const { repository, left, right, type, after, amount } = request;
  const page = await engine.diff(repository, left, right, {
    type,
    prefix: catalogPrefix,
    after,
    amount,
  });
  const changes: Awaited<ReturnType<typeof changeAt>>[] = [];
  await inParallel(page.results, tablesAtOnce, async (item, index) => {
    changes[index] = await changeAt(item);
  });
  const results = changes.flat();
  return { ...page, results } satisfies Page<(typeof results)[number]>;

  async function changeAt(item: DiffItem) {
    const table = tableAt(item.path);
    if (!table) return [];
    const change = await changeOf(tables, item, { repository, left, right, table });
    return [{ ...change, ...(await reasonOf(engine, item, request)) }];
  }
}

/** Why a merge would not resolve a conflict. */
async function reasonOf(engine: Engine, { type, path }: DiffItem, { repository: id, left, right }: TableDiffRequest) {
  if (type !== 'conflict') return {};
  const [repository, found] = await Promise.all([engine.getRepository(id), engine.findMergeBase(id, right, left)]);
  const sides = { destination: found.destinationCommitId, source: found.sourceCommitId, base: found.baseCommitId };
  const entries: { [side in keyof typeof sides]?: Entry } = {};
  for (const side of ['destination', 'source', 'base'] as const) {
    const entry = await engine.getEntry(repository, sides[side], path).catch((error: unknown) => {
      if (!isSrvError(error, 'not_found')) throw error;
    });
    if (entry) entries[side] = entry;
  }
  try {
    await engine.hooks.mergeObject.promise({ repository, path, ...entries });
    return {};
  } catch (error) {
    if (isSrvError(error, 'conflict')) return { conflict: error.message };
    throw error;
  }
}

interface ChangedPlace extends Pick<TableDiffRequest, 'repository' | 'left' | 'right'> {
  readonly table: Pick<TablePlace, 'namespace' | 'table'>;
}

async function changeOf(tables: Tables, { type }: DiffItem, { repository, left, right, table }: ChangedPlace) {
  const [before, after] = await Promise.all([left, right].map(ref => countsAt(tables, { repository, ref, ...table })));
  return {
    place: { repository, ref: right, ...table },
    type: type === 'prefix_changed' ? ('changed' as const) : type,
    namespace: [...table.namespace],
    name: table.table,
    ...member('records_before', before?.records),
    ...member('records_after', after?.records),
    ...member('data_files_before', before?.files),
    ...member('data_files_after', after?.files),
  };
}

/** `undefined` where the table does not exist. */
async function countsAt(tables: Tables, place: TablePlace) {
  try {
    const { metadata } = await tables.load(place);
    const summary = summaryOf(currentOf(metadata));
    return { records: summary['total-records'] ?? 0, files: summary['total-data-files'] ?? 0 };
  } catch (error) {
    if (error instanceof CatalogError && error.status === 404) return undefined;
    throw error;
  }
}

function currentOf(metadata: TableMetadata): Snapshot | undefined {
  return metadata.snapshots.find(snapshot => isSame(snapshot['snapshot-id'], metadata['current-snapshot-id']));
}
