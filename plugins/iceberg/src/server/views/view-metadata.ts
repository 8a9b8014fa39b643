/** Metadata of views, as the view specification of Iceberg writes it, and its changes. */
import { CatalogError } from '../errors.js';
import { isObject, isSame, isWhole, plainNumber, plainText } from '../exact-json.js';
import { highestId } from '../metadata/field-ids.js';
import { newestFormatVersion } from '../metadata/model.js';
import { checkSchema } from '../metadata/schema-validity.js';
import type { Integer, JsonObject } from '../exact-json.js';
import type { Schema } from '../metadata/model.js';

interface ViewVersion extends JsonObject {
  'version-id': number;
  'timestamp-ms': Integer;
  'schema-id': number;
  representations: JsonObject[];
}

export interface ViewMetadata extends JsonObject {
  'view-uuid': string;
  'format-version': number;
  location: string;
  schemas: Schema[];
  'current-version-id': number;
  versions: ViewVersion[];
  'version-log': JsonObject[];
  properties: Record<string, string>;
}

/** Versions that a view remembers, unless `version.history.num-entries` says otherwise. */
const defaultVersions = 10;

const bad = (message: string): CatalogError => new CatalogError(400, 'BadRequestException', message);

export interface NewView {
  readonly location: string;
  readonly uuid: string;
  readonly schema: Schema;
  readonly version: JsonObject;
  readonly properties: Readonly<Record<string, string>>;
}

export function newViewMetadata({ location, uuid, schema, version, properties }: NewView): ViewMetadata {
  const empty: ViewMetadata = {
    'view-uuid': uuid,
    'format-version': 1,
    location,
    schemas: [],
    'current-version-id': 0,
    versions: [],
    'version-log': [],
    properties: { ...properties },
  };
  return applyViewUpdates(empty, [
    { action: 'add-schema', schema },
    { action: 'add-view-version', 'view-version': { ...version, 'schema-id': -1 } },
    { action: 'set-current-view-version', 'view-version-id': -1 },
  ]);
}

/** @throws CatalogError 400 for what is not metadata of a view. */
export function viewMetadataFrom(read: unknown, address: string): ViewMetadata {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);
  const isView =
    isObject(read) &&
    typeof read['view-uuid'] === 'string' &&
    typeof read['location'] === 'string' &&
    isList(read['schemas']) &&
    isList(read['versions']) &&
    (read['versions'] as JsonObject[]).every(version => isWhole(version['version-id']) && isList(version['representations'])) &&
    isList(read['version-log']) &&
    isWhole(read['current-version-id']);
  if (!isView) throw bad(`${address} is not a metadata file of a view`);
  const properties = isObject(read['properties']) ? read['properties'] : {};
  return { ...read, properties } as ViewMetadata;
}

/** The view as updates make it. */
interface Draft {
  readonly view: ViewMetadata;
  readonly last: { schema?: number; version?: number };
  readonly added: Set<number>;
}

/** @throws CatalogError 400 for an update that is not known or cannot be applied. */
export function applyViewUpdates(view: ViewMetadata, updates: readonly JsonObject[]): ViewMetadata {
  const draft: Draft = { view: structuredClone(view), last: {}, added: new Set() };
  for (const update of updates) {
    const name = plainText(update['action']);
    const apply = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!apply) throw bad(`the update ${JSON.stringify(update['action'])} of a view is not known`);
    apply(draft, update);
  }
  if (!currentVersion(draft.view)) throw bad('the view has no current version');
  demandDialects(view, draft.view);
  forgetVersions(draft);
  return draft.view;
}

const actions: Readonly<Record<string, (draft: Draft, update: JsonObject) => void>> = {
  'assign-uuid'({ view }, update) {
    if (plainText(update['uuid']) !== view['view-uuid']) throw bad(`the view has the UUID ${view['view-uuid']} and keeps it`);
  },
  'upgrade-format-version'(_, update) {
    if (plainNumber(update['format-version']) !== 1) throw bad(`views have format version 1, not ${plainText(update['format-version'])}`);
  },
  'add-schema'({ view, last }, update) {
    const schema = update['schema'];
    if (!isObject(schema) || !Array.isArray(schema['fields'])) throw bad('add-schema needs a schema with fields');
    if (!schema['fields'].every(isObject)) throw bad('add-schema needs a schema with fields');
    // Refuses what is nested too deep.
    highestId(schema as Schema);
    checkSchema(schema as Schema, newestFormatVersion);
    const bare = ({ 'schema-id': _, type: __, ...rest }: JsonObject): JsonObject => rest;
    const equal = view.schemas.find(known => isSame(bare(known), bare(schema)));
    const id = equal ? plainNumber(equal['schema-id']) : Math.max(-1, ...view.schemas.map(known => plainNumber(known['schema-id']))) + 1;
    last.schema = id;
    if (!equal) view.schemas.push({ type: 'struct', ...(schema as Schema), 'schema-id': id });
  },
  'set-location'({ view }, update) {
    const location = plainText(update['location']);
    if (location.replace(/\/$/, '') !== view.location)
      throw bad(`the location of a view cannot be changed: ${location} is not ${view.location}`);
  },
  'set-properties'({ view }, update) {
    if (!isObject(update['updates'])) throw bad('set-properties needs updates');
    for (const [name, value] of Object.entries(update['updates'])) view.properties[name] = plainText(value);
  },
  'remove-properties'({ view }, update) {
    if (!Array.isArray(update['removals'])) throw bad('remove-properties needs a list of removals');
    for (const name of update['removals']) delete view.properties[plainText(name)];
  },
  'add-view-version': addVersion,
  'set-current-view-version'({ view, last }, update) {
    const asked = update['view-version-id'];
    const id = asked === -1 ? last.version : asked;
    const version = view.versions.find(known => isSame(known['version-id'], id));
    if (!version) throw bad(`the view has no version ${plainText(asked)}`);
    if (view['current-version-id'] === version['version-id']) return;
    view['current-version-id'] = version['version-id'];
    view['version-log'].push({ 'version-id': version['version-id'], 'timestamp-ms': version['timestamp-ms'] });
  },
};

function addVersion({ view, last, added }: Draft, update: JsonObject): void {
  const given = update['view-version'];
  if (!isObject(given)) throw bad('add-view-version needs a view-version');
  const { representations } = given;
  if (!Array.isArray(representations) || representations.length === 0 || !representations.every(isObject))
    throw bad('a version of a view needs representations');
  checkVersion(given, representations);
  const dialects = representations.map(({ dialect }) => plainText(dialect).toLowerCase());
  const twice = dialects.find((dialect, i) => dialects.indexOf(dialect) !== i);
  if (twice !== undefined)
    throw new CatalogError(400, 'IllegalArgumentException', `Invalid view version: Cannot add multiple queries for dialect ${twice}`);
  const schemaId = given['schema-id'] === -1 ? last.schema : given['schema-id'];
  if (!view.schemas.some(schema => isSame(schema['schema-id'], schemaId)))
    throw bad(`the view has no schema ${plainText(given['schema-id'])}`);
  const version: JsonObject = { ...given, 'schema-id': schemaId, summary: given['summary'] ?? {} };
  const bare = ({ 'version-id': _, 'timestamp-ms': __, summary: ___, ...rest }: JsonObject): JsonObject => rest;
  const equal = view.versions.find(known => isSame(bare(known), bare(version)));
  const id = equal ? equal['version-id'] : Math.max(0, ...view.versions.map(known => known['version-id'])) + 1;
  last.version = id;
  if (equal) return;
  added.add(id);
  const time = isWhole(given['timestamp-ms']) ? given['timestamp-ms'] : Date.now();
  view.versions.push({ ...version, 'version-id': id, 'timestamp-ms': time } as ViewVersion);
}

/** What readers refuse to load. */
function checkVersion(version: JsonObject, representations: readonly JsonObject[]): void {
  const isText = (value: unknown): boolean => typeof value === 'string';
  for (const { type, sql, dialect } of representations) {
    if (!isText(type)) throw bad('a representation of a view needs a type');
    if (type === 'sql' && !(isText(sql) && isText(dialect))) throw bad('a representation of the type sql needs the texts sql and dialect');
  }
  const { summary, 'default-namespace': namespace, 'default-catalog': catalog } = version;
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
  if (isGiven(summary) && !(isObject(summary) && Object.values(summary).every(isText)))
    throw bad('the summary of a version of a view has texts by name');
  if (!Array.isArray(namespace) || !namespace.every(isText)) throw bad('a version of a view needs a default-namespace: a list of texts');
  if (isGiven(catalog) && !isText(catalog)) throw bad('the default-catalog of a version of a view is a text');
}

function currentVersion(view: ViewMetadata): ViewVersion | undefined {
  return view.versions.find(version => version['version-id'] === view['current-version-id']);
}

/** A view keeps the dialects that it has, unless it allows engines to drop them. */
function demandDialects(before: ViewMetadata, after: ViewMetadata): void {
  const dialectsOf = (view: ViewMetadata): string[] =>
    (currentVersion(view)?.representations ?? []).map(({ dialect }) => plainText(dialect).toLowerCase());
  if (after.properties['replace.drop-dialect.allowed'] === 'true') return;
  const kept = dialectsOf(after);
  const dropped = dialectsOf(before).filter(dialect => !kept.includes(dialect));
  if (dropped.length > 0)
    throw bad(
      `Cannot replace view due to loss of view dialects: ${dropped.join(', ')}; the property replace.drop-dialect.allowed permits that`,
    );
}

/** Keeps the newest versions, the current one among them, and the part of the log that names no other. */
function forgetVersions({ view, added }: Draft): void {
  const asked = plainNumber(view.properties['version.history.num-entries'] ?? defaultVersions);
  const most = Math.max(Number.isInteger(asked) && asked > 0 ? asked : defaultVersions, added.size);
  if (view.versions.length <= most) return;
  const current = view['current-version-id'];
  const newest = view.versions
    .map(version => version['version-id'])
    .filter(id => id !== current)
    .sort((a, b) => b - a);
  const kept = new Set([current, ...newest.slice(0, most - 1)]);
  view.versions = view.versions.filter(version => kept.has(version['version-id']));
  const unknown = view['version-log'].findLastIndex(line => !kept.has(plainNumber(line['version-id'])));
  view['version-log'] = view['version-log'].slice(unknown + 1);
}
