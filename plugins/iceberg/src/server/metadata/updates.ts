/** Changes of a table, applied one after the other to a copy of its metadata. */
import { CatalogError } from '../errors.js';
import { greater, isObject, isSame, isWhole, plainNumber, plainText, whole } from '../exact-json.js';
import { formatVersionOf } from './create.js';
import { highestId } from './field-ids.js';
import { withRisingTimes } from './log.js';
import { checkNewParts } from './validity.js';
import type { Integer, JsonObject } from '../exact-json.js';
import type { PartitionSpec, Schema, Snapshot, SnapshotRef, SortOrder, TableMetadata } from './model.js';

/** The table as the changes make it. */
interface Draft {
  readonly table: TableMetadata;
  /** Whether the table is new: its parts keep the ids that the client gave them. */
  readonly isNew: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Ids that `-1` means. */
  readonly last: { schema?: number; spec?: number; order?: number };
  /** Snapshots that these changes added. */
  readonly added: Set<string>;
}

/** How far the clock of a client may be ahead, in milliseconds; readers allow clocks to differ by the same. */
const toleranceMs = 60_000;

const bad = (message: string): CatalogError => new CatalogError(400, 'BadRequestException', message);

/**
 * @param updates as the client sent them.
 * @param options.now milliseconds since 1970: the least `last-updated-ms` of the changed table.
 * @throws CatalogError 400 for one that is not known or cannot be applied, such as a snapshot from the future.
 */
export function applyUpdates(
  table: TableMetadata,
  updates: readonly JsonObject[],
  options: { isNew: boolean; now: number },
): TableMetadata {
  const draft: Draft = { table: copyOf(table), ...options, last: {}, added: new Set() };
  for (const update of updates) {
    const name = plainText(update['action']);
    const apply = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!apply) throw bad(`the update ${JSON.stringify(update['action'])} is not known`);
    apply(draft, update);
  }
  draft.table['last-updated-ms'] = greater(table['last-updated-ms'], options.now);
  checkReferences(draft.table);
  checkNewParts(draft.table, table);
  return withRisingTimes(draft.table);
}

/** Changes add, remove and replace parts, and leave each as it is: only their lists are copied, for there may be many snapshots. */
function copyOf(table: TableMetadata): TableMetadata {
  const members = Object.entries(table).map(([name, member]) => [
    name,
    Array.isArray(member) ? [...member] : isObject(member) ? { ...member } : member,
  ]);
  return Object.fromEntries(members) as TableMetadata;
}

/** @throws CatalogError 400 when something is named that is not there. */
function checkReferences(table: TableMetadata): void {
  const snapshots = new Set(table.snapshots.map(snapshot => plainText(snapshot['snapshot-id'])));
  for (const [name, ref] of Object.entries(table.refs))
    if (!snapshots.has(plainText(ref['snapshot-id'])))
      throw bad(`snapshot ${ref['snapshot-id']} cannot be removed: ${ref.type} ${name} of the table refers to it`);
  if (!table.schemas.some(schema => schema['schema-id'] === table['current-schema-id'])) throw bad('the table has no current schema');
  if (!table['partition-specs'].some(spec => spec['spec-id'] === table['default-spec-id']))
    throw bad('the table has no default partition spec');
  if (!table['sort-orders'].some(order => order['order-id'] === table['default-sort-order-id']))
    throw bad('the table has no default sort order');
}

const actions: Readonly<Record<string, (draft: Draft, update: JsonObject) => void>> = {
  'assign-uuid'({ table, isNew }, update) {
    const uuid = text(update, 'uuid');
    if (!isNew && uuid !== table['table-uuid']) throw bad(`the table has the UUID ${table['table-uuid']} and keeps it`);
    table['table-uuid'] = uuid;
  },
  'upgrade-format-version'({ table, isNew }, update) {
    const version = formatVersionOf(update['format-version']);
    if (!isNew && version < table['format-version'])
      throw bad(`the table has format version ${table['format-version']}; it cannot go back to ${version}`);
    table['format-version'] = version;
    if (version >= 3) table['next-row-id'] ??= 0;
  },
  'add-schema'({ table, isNew, last }, update) {
    const schema = part<Schema>(update, 'schema');
    const id = idOf(table.schemas, schema, 'schema-id', { isNew, first: 0 });
    last.schema = id;
    table['last-column-id'] = Math.max(table['last-column-id'], highestId(schema), plainNumber(update['last-column-id'] ?? 0));
    if (!table.schemas.some(known => known['schema-id'] === id)) table.schemas.push({ type: 'struct', ...schema, 'schema-id': id });
  },
  'set-current-schema'({ table, last }, update) {
    const id = chosen(update, 'schema-id', last.schema);
    if (!table.schemas.some(schema => schema['schema-id'] === id)) throw bad(`the table has no schema ${id}`);
    table['current-schema-id'] = id;
  },
  'add-spec'({ table, isNew, last }, update) {
    const spec = part<PartitionSpec>(update, 'spec');
    const id = idOf(table['partition-specs'], spec, 'spec-id', { isNew, first: 0 });
    last.spec = id;
    const fields = spec.fields.map((field, i) =>
      field['field-id'] === undefined ? { ...field, 'field-id': table['last-partition-id'] + 1 + i } : field,
    );
    table['last-partition-id'] = Math.max(table['last-partition-id'], ...fields.map(field => plainNumber(field['field-id'])));
    if (!table['partition-specs'].some(known => known['spec-id'] === id)) table['partition-specs'].push({ ...spec, 'spec-id': id, fields });
  },
  'set-default-spec'({ table, last }, update) {
    table['default-spec-id'] = chosen(update, 'spec-id', last.spec);
  },
  'add-sort-order'({ table, isNew, last }, update) {
    const order = part<SortOrder>(update, 'sort-order');
    const id = order.fields.length === 0 ? 0 : idOf(table['sort-orders'], order, 'order-id', { isNew, first: 1 });
    last.order = id;
    if (!table['sort-orders'].some(known => known['order-id'] === id)) table['sort-orders'].push({ ...order, 'order-id': id });
  },
  'set-default-sort-order'({ table, last }, update) {
    table['default-sort-order-id'] = chosen(update, 'sort-order-id', last.order);
  },
  'add-snapshot': addSnapshot,
  'set-snapshot-ref': setSnapshotRef,
  'remove-snapshots'({ table }, update) {
    const removed = new Set(list(update, 'snapshot-ids').map(plainText));
    const stays = (id: unknown): boolean => !removed.has(plainText(id));
    table.snapshots = table.snapshots.filter(snapshot => stays(snapshot['snapshot-id']));
    table['snapshot-log'] = table['snapshot-log'].filter(line => stays(line['snapshot-id']));
    table.statistics = table.statistics.filter(file => stays(file['snapshot-id']));
    table['partition-statistics'] = table['partition-statistics'].filter(file => stays(file['snapshot-id']));
  },
  'remove-snapshot-ref'({ table }, update) {
    const name = text(update, 'ref-name');
    delete table.refs[name];
    if (name === 'main') delete table['current-snapshot-id'];
  },
  'set-location'({ table, isNew }, update) {
    const location = text(update, 'location');
    if (location.replace(/\/$/, '') === table.location) return;
    throw bad(`the location of a table cannot be ${isNew ? 'chosen' : 'changed'}: ${location} is not ${table.location}`);
  },
  'set-properties'({ table }, update) {
    const { 'format-version': _, ...properties } = part<JsonObject>(update, 'updates');
    for (const [name, value] of Object.entries(properties)) table.properties[name] = plainText(value);
  },
  'remove-properties'({ table }, update) {
    for (const name of list(update, 'removals')) delete table.properties[plainText(name)];
  },
  'set-statistics'({ table }, update) {
    table.statistics = replaced(table.statistics, part<JsonObject>(update, 'statistics'), 'snapshot-id');
  },
  'remove-statistics'({ table }, update) {
    table.statistics = table.statistics.filter(file => !isSame(file['snapshot-id'], update['snapshot-id']));
  },
  'set-partition-statistics'({ table }, update) {
    table['partition-statistics'] = replaced(
      table['partition-statistics'],
      part<JsonObject>(update, 'partition-statistics'),
      'snapshot-id',
    );
  },
  'remove-partition-statistics'({ table }, update) {
    table['partition-statistics'] = table['partition-statistics'].filter(file => !isSame(file['snapshot-id'], update['snapshot-id']));
  },
  'remove-partition-specs'({ table }, update) {
    const removed = list(update, 'spec-ids');
    if (removed.includes(table['default-spec-id']))
      throw bad(`partition spec ${table['default-spec-id']} is the default one and cannot be removed`);
    table['partition-specs'] = table['partition-specs'].filter(spec => !removed.includes(spec['spec-id']));
  },
  'remove-schemas'({ table }, update) {
    const removed = list(update, 'schema-ids');
    if (removed.includes(table['current-schema-id']))
      throw bad(`schema ${table['current-schema-id']} is the current one and cannot be removed`);
    table.schemas = table.schemas.filter(schema => !removed.includes(schema['schema-id']));
  },
  'add-encryption-key'({ table }, update) {
    table['encryption-keys'] = replaced(encryptionKeys(table), part<JsonObject>(update, 'encryption-key'), 'key-id');
  },
  'remove-encryption-key'({ table }, update) {
    table['encryption-keys'] = encryptionKeys(table).filter(key => key['key-id'] !== update['key-id']);
  },
};

function addSnapshot({ table, added, now }: Draft, update: JsonObject): void {
  const snapshot = part<Snapshot>(update, 'snapshot');
  const { 'snapshot-id': id, 'timestamp-ms': time, 'sequence-number': sequence, 'parent-snapshot-id': parent } = snapshot;
  if (!isWhole(id) || !isWhole(time)) throw bad('a snapshot needs snapshot-id and timestamp-ms');
  if (time > now + toleranceMs)
    throw bad(
      `the timestamp-ms ${time} of snapshot ${id} is in the future: it is ${now} here; set the clock of the client, and commit again`,
    );
  if (table.snapshots.some(known => isSame(known['snapshot-id'], id))) throw bad(`snapshot ${id} exists already`);
  if (table['format-version'] > 1 && isWhole(sequence)) {
    if (parent !== undefined && parent !== null && sequence <= table['last-sequence-number'])
      throw new CatalogError(
        409,
        'CommitFailedException',
        `snapshot ${id} has sequence number ${sequence}, the table is at ${table['last-sequence-number']} already`,
      );
    table['last-sequence-number'] = greater(table['last-sequence-number'], sequence);
  }
  if (table['format-version'] >= 3) takeRowIds(table, snapshot);
  table.snapshots.push(snapshot);
  added.add(plainText(id));
}

/** Rows of format version 3 have ids, of which each snapshot takes a range. */
function takeRowIds(table: TableMetadata, snapshot: Snapshot): void {
  const { 'first-row-id': first, 'added-rows': rows } = snapshot;
  const next = (table['next-row-id'] ?? 0) as Integer;
  if (!isWhole(first) || !isWhole(rows)) throw bad('a snapshot of format version 3 needs first-row-id and added-rows');
  if (first < next)
    throw new CatalogError(409, 'CommitFailedException', `the snapshot begins with row id ${first}, the table is at ${next} already`);
  table['next-row-id'] = whole(BigInt(first) + BigInt(rows));
}

function setSnapshotRef({ table, added, now }: Draft, update: JsonObject): void {
  const { action: _, 'ref-name': name, ...ref } = update;
  const id = ref['snapshot-id'];
  const snapshot = table.snapshots.find(known => isSame(known['snapshot-id'], id));
  if (typeof name !== 'string' || name === '' || name === '__proto__') throw bad('set-snapshot-ref needs a ref-name');
  if (!snapshot) throw bad(`the table has no snapshot ${plainText(id)}`);
  if (ref['type'] !== 'branch' && ref['type'] !== 'tag') throw bad(`a ref is a branch or a tag, not ${JSON.stringify(ref['type'])}`);
  table.refs[name] = ref as SnapshotRef;
  if (name !== 'main') return;
  const hasMoved = !isSame(table['current-snapshot-id'], id);
  table['current-snapshot-id'] = snapshot['snapshot-id'];
  const time = added.has(plainText(id)) ? snapshot['timestamp-ms'] : now;
  if (hasMoved) table['snapshot-log'].push({ 'timestamp-ms': time, 'snapshot-id': snapshot['snapshot-id'] });
}

/** The id of a part: that of an equal one, the given one in a new table, or the next. */
function idOf(
  known: readonly JsonObject[],
  given: JsonObject,
  member: string,
  { isNew, first }: { isNew: boolean; first: number },
): number {
  const bare = ({ [member]: _, type: __, ...rest }: JsonObject): JsonObject => rest;
  const equal = known.find(candidate => isSame(bare(candidate), bare(given)));
  if (equal) return plainNumber(equal[member]);
  const used = known.map(candidate => plainNumber(candidate[member]));
  const asked = given[member];
  if (isNew && typeof asked === 'number' && asked >= first && !used.includes(asked)) return asked;
  return Math.max(first - 1, ...used) + 1;
}

/** `-1` means what was added last. */
function chosen(update: JsonObject, member: string, last: number | undefined): number {
  const id = update[member];
  if (id !== -1 && typeof id === 'number') return id;
  if (last === undefined) throw bad(`${plainText(update['action'])} names ${member} ${plainText(id)}, and nothing was added before`);
  return last;
}

function encryptionKeys(table: TableMetadata): JsonObject[] {
  return (table['encryption-keys'] as JsonObject[] | undefined) ?? [];
}

function replaced(all: readonly JsonObject[], one: JsonObject, member: string): JsonObject[] {
  return [...all.filter(known => !isSame(known[member], one[member])), one];
}

function part<T extends JsonObject>(update: JsonObject, member: string): T {
  const value = update[member];
  if (!isObject(value)) throw bad(`the update ${plainText(update['action'])} needs ${member}`);
  const needsFields = member === 'schema' || member === 'spec' || member === 'sort-order';
  if (needsFields && !(Array.isArray(value['fields']) && value['fields'].every(isObject))) throw bad(`${member} needs a list of fields`);
  return value as T;
}

function text(update: JsonObject, member: string): string {
  const value = update[member];
  if (typeof value !== 'string') throw bad(`the update ${plainText(update['action'])} needs ${member}`);
  return value;
}

function list(update: JsonObject, member: string): readonly unknown[] {
  const value = update[member];
  if (!Array.isArray(value)) throw bad(`the update ${plainText(update['action'])} needs a list of ${member}`);
  return value;
}
