/** What readers refuse to load. A change that brought any of it would leave a table that no client can read. */
import { CatalogError } from '../errors.js';
import { isObject, isSame, isWhole, plainText } from '../exact-json.js';
import { checkSchema, schemaIds } from './schema-validity.js';
import type { JsonObject } from '../exact-json.js';
import type { PartitionSpec, Snapshot, SnapshotRef, SortOrder, TableMetadata } from './model.js';

type Parts = Pick<
  TableMetadata,
  'schemas' | 'partition-specs' | 'sort-orders' | 'snapshots' | 'refs' | 'statistics' | 'partition-statistics'
>;

const none: Parts = {
  schemas: [],
  'partition-specs': [],
  'sort-orders': [],
  snapshots: [],
  refs: {},
  statistics: [],
  'partition-statistics': [],
};

const bad = (message: string): CatalogError => new CatalogError(400, 'BadRequestException', message);

/** @param before what the table had: it is not looked at again, so that a table can be repaired. @throws CatalogError 400. */
export function checkNewParts(table: TableMetadata, before: Parts = none): void {
  const version = table['format-version'];
  for (const schema of added(table.schemas, before.schemas, 'schema-id')) checkSchema(schema, version);
  const known = new Set(table.schemas.flatMap(schema => [...schemaIds(schema)]));
  for (const spec of added(table['partition-specs'], before['partition-specs'], 'spec-id')) checkSpec(spec, known);
  for (const order of added(table['sort-orders'], before['sort-orders'], 'order-id')) checkOrder(order, known);
  for (const snapshot of added(table.snapshots, before.snapshots, 'snapshot-id')) checkSnapshot(snapshot, version);
  for (const [name, ref] of Object.entries(table.refs)) if (!isSame(ref, before.refs[name])) checkRef(name, ref);
  for (const file of changed(table.statistics, before.statistics))
    checkStatistics(file, ['file-size-in-bytes', 'file-footer-size-in-bytes']);
  for (const file of changed(table['partition-statistics'], before['partition-statistics'])) checkStatistics(file, ['file-size-in-bytes']);
}

/** Parts keep what they are under their id. */
function added<T extends JsonObject>(now: readonly T[], before: readonly T[], member: string): T[] {
  const old = new Set(before.map(one => plainText(one[member])));
  return now.filter(one => !old.has(plainText(one[member])));
}

/** At most one for each snapshot. */
function changed(now: readonly JsonObject[], before: readonly JsonObject[]): JsonObject[] {
  const old = new Map(before.map(one => [plainText(one['snapshot-id']), one]));
  return now.filter(one => !isSame(one, old.get(plainText(one['snapshot-id']))));
}

function checkSpec(spec: PartitionSpec, known: ReadonlySet<number>): void {
  const [names, ids] = [new Set<unknown>(), new Set<unknown>()];
  for (const field of spec.fields) {
    const { name, 'field-id': id } = field;
    if (typeof name !== 'string' || name === '') throw bad('a field of a partition spec needs a name');
    if (names.has(name)) throw bad(`the partition spec has two fields named ${name}`);
    if (ids.has(id)) throw bad(`the partition spec has two fields with the field-id ${plainText(id)}`);
    if (!isInt(id)) throw bad(`the field-id ${plainText(id)} of the partition field ${name} is not a number`);
    checkTransform(field, `partition field ${name}`, known);
    names.add(name);
    ids.add(id);
  }
}

function checkOrder(order: SortOrder, known: ReadonlySet<number>): void {
  for (const field of order.fields) {
    const { direction, 'null-order': nulls } = field;
    checkTransform(field, 'sort order', known);
    if (direction !== 'asc' && direction !== 'desc') throw bad(`the direction ${plainText(direction)} of a sort order is not asc or desc`);
    if (nulls !== 'nulls-first' && nulls !== 'nulls-last')
      throw bad(`the null-order ${plainText(nulls)} of a sort order is not nulls-first or nulls-last`);
  }
}

function checkTransform(
  { transform, 'source-id': source, 'source-ids': sources }: JsonObject,
  where: string,
  known: ReadonlySet<number>,
): void {
  if (typeof transform !== 'string' || transform === '') throw bad(`the ${where} needs a transform`);
  if (/^(bucket|truncate)/.test(transform) && !/^(bucket|truncate)\[0{0,9}[1-9]\d{0,9}\]$/.test(transform))
    throw bad(
      `the transform ${transform.slice(0, 100)} of the ${where} needs a width, such as ${transform.startsWith('b') ? 'bucket' : 'truncate'}[16]`,
    );
  // The column of a field that was removed may be gone.
  if (transform === 'void') return;
  const all = Array.isArray(sources) ? sources : [source];
  const missing = all.find(id => typeof id !== 'number' || !known.has(id));
  if (all.length === 0 || missing !== undefined)
    throw bad(`the ${where} is of a field with the id ${plainText(missing)}, which no schema has`);
}

function checkSnapshot(snapshot: Snapshot, formatVersion: number): void {
  const { 'snapshot-id': id, 'timestamp-ms': time, 'sequence-number': sequence, summary, manifests } = snapshot;
  const named = `snapshot ${plainText(id)}`;
  for (const [member, value] of Object.entries({ 'snapshot-id': id, 'timestamp-ms': time }))
    if (!isLong(value)) throw bad(`the ${member} of ${named} is not an integer of 64 bits`);
  for (const member of ['sequence-number', 'first-row-id', 'added-rows', 'timestamp-ms']) {
    const value = snapshot[member];
    if (isGiven(value) && !(isLong(value) && value >= 0))
      throw bad(`the ${member} ${plainText(value)} of ${named} is not an integer from 0 on`);
  }
  if (formatVersion > 1 && !isGiven(sequence)) throw bad(`${named} needs a sequence-number`);
  for (const member of ['parent-snapshot-id', 'schema-id']) {
    const value = snapshot[member];
    if (isGiven(value) && !isLong(value)) throw bad(`the ${member} ${plainText(value)} of ${named} is not an integer`);
  }
  if (typeof snapshot['manifest-list'] !== 'string' && !(formatVersion === 1 && Array.isArray(manifests)))
    throw bad(`${named} needs a manifest-list`);
  const isSummary =
    isObject(summary) && Object.values(summary).every(value => typeof value === 'string') && summary['operation'] !== undefined;
  if (isGiven(summary) ? !isSummary : formatVersion > 1) throw bad(`${named} needs a summary: texts by name, one of them operation`);
}

function checkRef(name: string, ref: SnapshotRef): void {
  if (name === 'main' && ref.type !== 'branch') throw bad('main is a branch of a table, never a tag');
  for (const member of ['min-snapshots-to-keep', 'max-snapshot-age-ms', 'max-ref-age-ms']) {
    const value = ref[member];
    if (!isGiven(value)) continue;
    if (!isLong(value) || value <= 0) throw bad(`the ${member} ${plainText(value)} of ${ref.type} ${name} is not an integer from 1 on`);
    if (ref.type === 'tag' && member !== 'max-ref-age-ms') throw bad(`${member} is not for tags, such as ${name}`);
  }
}

function checkStatistics(file: JsonObject, sizes: readonly string[]): void {
  const path = file['statistics-path'];
  if (typeof path !== 'string' || path === '') throw bad('statistics need a statistics-path');
  for (const member of ['snapshot-id', ...sizes])
    if (!isLong(file[member])) throw bad(`the ${member} of the statistics ${path} is not an integer`);
  if (sizes.length > 1 && !Array.isArray(file['blob-metadata'])) throw bad(`the statistics ${path} need a list of blob-metadata`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isInt(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}

/** Signed, of 64 bits. */
function isLong(value: unknown): value is number | bigint {
  return isWhole(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}
