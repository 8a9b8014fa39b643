/** Calls about tables. */
import { namesEtag } from '@srv/lib-api/http';
import { accessTo, committedAnswer, credentialsFor, empty, etagOf, json, keyFor, tableAnswer } from '../answers.js';
import {
  bodyOf,
  changed,
  fieldedOf,
  identifierOf,
  listed,
  nameOf,
  namespaceOf,
  objectList,
  schemaOf,
  tableOf,
  textMap,
  updatesOf,
} from '../endpoint.js';
import { CatalogError, isCatalogError } from '../errors.js';
import { fullName, partsOf, relativeName, shownName } from '../names.js';
import { onAllTables, onNamespace, onTable } from '../rights.js';
import { demandInside, requestToSign, signedHeaders } from '../signing.js';
import { namespacePlace } from '../storage/places.js';
import { isInStore } from '../storage/table-files.js';
import type { UserCall, UserEndpoint } from '../endpoint.js';
import type { PartitionSpec, SortOrder } from '../metadata/model.js';
import type { TablePlace } from '../names.js';
import type { NamePage } from '../namespaces.js';
import type { LoadedTable } from '../tables.js';

const listTables: UserEndpoint = {
  name: 'listTables',
  method: 'GET',
  path: '/namespaces/{namespace}/tables',
  async handle(call) {
    const full = fullName(call.scope, partsOf(call.params['namespace'] ?? ''));
    // Repositories and refs hold no tables themselves.
    if (full.length < 3) return json({ identifiers: [], 'next-page-token': null });
    const place = namespacePlace(full);
    await call.face.demand(onNamespace('ListTables', place));
    const system = call.systemTables.namesIn(place);
    const page = await listed(call.query, asked => call.tables.list(place, asked)).catch((error: unknown): NamePage => {
      if (system.length > 0 && isCatalogError(error) && error.status === 404) return { names: [] };
      throw error;
    });
    const shown = await Promise.all(
      (page.next === undefined ? system : []).map(async table => {
        const permission = call.systemTables.permission({ ...place, table });
        return permission && (await call.face.may(permission)) ? [table] : [];
      }),
    );
    const names = await Promise.all(
      page.names.map(async name => {
        const table = name.at(-1) ?? '';
        return (await call.face.may(onTable('ReadTable', { ...place, table }))) ? [table] : [];
      }),
    );
    const namespace = relativeName(call.scope, full);
    return json({ identifiers: [...names, ...shown].flat().map(name => ({ namespace, name })), 'next-page-token': page.next ?? null });
  },
};

const createTable: UserEndpoint = {
  name: 'createTable',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/tables',
  async handle(call) {
    const body = await bodyOf(call);
    const place = { ...namespaceOf(call), table: nameOf(body['name']) };
    await call.face.demand(onTable('CreateTable', place));
    const table = await call.tables.create(place, {
      schema: schemaOf(body, 'schema'),
      spec: fieldedOf<PartitionSpec>(body, 'partition-spec'),
      order: fieldedOf<SortOrder>(body, 'write-order'),
      properties: textMap(body['properties'], 'properties'),
      isStaged: body['stage-create'] === true,
    });
    if (body['stage-create'] !== true) await changed(call, place, `create table ${shownName(place)}`);
    return tableAnswer(call, place, table);
  },
};

const registerTable: UserEndpoint = {
  name: 'registerTable',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/register',
  async handle(call) {
    const body = await bodyOf(call);
    const place = { ...namespaceOf(call), table: nameOf(body['name']) };
    const address = body['metadata-location'];
    if (typeof address !== 'string') throw new CatalogError(400, 'BadRequestException', 'metadata-location is missing');
    await call.face.demand(onTable('CreateTable', place));
    // The file may be that of any table of the repository.
    await call.face.demand(onAllTables('ReadTable', place.repository));
    await call.face.demand(onAllTables('UpdateTable', place.repository));
    const table = await call.tables.register(place, address, { overwrite: body['overwrite'] === true, rewrite: false });
    await changed(call, place, `register table ${shownName(place)}`);
    return tableAnswer(call, place, table);
  },
};

/** A table that the caller may read; those of other plugins are not to be changed. */
async function readable(call: UserCall, place: TablePlace): Promise<{ readonly table: LoadedTable; readonly isReadOnly: boolean }> {
  const system = call.systemTables.permission(place);
  await call.face.demand(system ?? onTable('ReadTable', place));
  return { table: await (system ? call.systemTables : call.tables).load(place), isReadOnly: system !== undefined };
}

const loadTable: UserEndpoint = {
  name: 'loadTable',
  method: 'GET',
  path: '/namespaces/{namespace}/tables/{table}',
  async handle(call) {
    const place = tableOf(call);
    const snapshots = call.query.get('snapshots') === 'refs' ? 'refs' : 'all';
    const { table, isReadOnly } = await readable(call, place);
    const etag = etagOf(table.location ?? '', snapshots);
    if (namesEtag(String(call.headers['if-none-match'] ?? ''), etag)) return { status: 304, headers: { ETag: etag } };
    return tableAnswer(call, place, table, { snapshots, isReadOnly });
  },
};

const tableExists: UserEndpoint = {
  name: 'tableExists',
  method: 'HEAD',
  path: '/namespaces/{namespace}/tables/{table}',
  async handle(call) {
    const place = tableOf(call);
    const system = call.systemTables.permission(place);
    await call.face.demand(system ?? onTable('ReadTable', place));
    if (system) await call.namespaces.openRef(place);
    else await call.tables.exists(place);
    return empty;
  },
};

const updateTable: UserEndpoint = {
  name: 'updateTable',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/tables/{table}',
  async handle(call) {
    const body = await bodyOf(call);
    const place = tableOf(call);
    const requirements = objectList(body['requirements'], 'requirements');
    const creates = requirements.some(({ type }) => type === 'assert-create');
    await call.face.demand(onTable(creates ? 'CreateTable' : 'UpdateTable', place));
    const table = await call.tables.commit({ place, requirements, updates: updatesOf(body) });
    await changed(call, place, `${creates ? 'create' : 'change'} table ${shownName(place)}`);
    return committedAnswer(table);
  },
};

const commitTransaction: UserEndpoint = {
  name: 'commitTransaction',
  isChange: true,
  method: 'POST',
  path: '/transactions/commit',
  async handle(call) {
    const changes = objectList((await bodyOf(call))['table-changes'], 'table-changes').map(change => ({
      place: identifierOf(call, change, 'identifier'),
      requirements: objectList(change['requirements'], 'requirements'),
      updates: updatesOf(change),
    }));
    for (const { place, requirements } of changes)
      await call.face.demand(onTable(requirements.some(({ type }) => type === 'assert-create') ? 'CreateTable' : 'UpdateTable', place));
    await call.tables.commitAll(changes);
    const [first] = changes;
    if (first) await changed(call, first.place, `change tables ${changes.map(({ place }) => shownName(place)).join(', ')}`);
    return empty;
  },
};

const dropTable: UserEndpoint = {
  name: 'dropTable',
  isChange: true,
  method: 'DELETE',
  path: '/namespaces/{namespace}/tables/{table}',
  async handle(call) {
    const place = tableOf(call);
    await call.face.demand(onTable('DeleteTable', place));
    // Whether the files go as well is decided when no branch, tag or commit has the table any longer.
    await call.tables.drop(place);
    await changed(call, place, `drop table ${shownName(place)}`);
    return empty;
  },
};

const renameTable: UserEndpoint = {
  name: 'renameTable',
  isChange: true,
  method: 'POST',
  path: '/tables/rename',
  async handle(call) {
    const body = await bodyOf(call);
    const [source, destination] = [identifierOf(call, body, 'source'), identifierOf(call, body, 'destination')];
    await call.face.demand({ all: [onTable('DeleteTable', source), onTable('CreateTable', destination)] });
    await call.tables.rename(source, destination);
    await changed(call, source, `rename table ${shownName(source)} to ${shownName(destination)}`);
    return empty;
  },
};

const loadCredentials: UserEndpoint = {
  name: 'loadCredentials',
  method: 'GET',
  path: '/namespaces/{namespace}/tables/{table}/credentials',
  async handle(call) {
    const place = tableOf(call);
    const { table, isReadOnly } = await readable(call, place);
    const { location } = table.metadata;
    return json({ 'storage-credentials': credentialsFor(location, await accessTo(call, place, { location, isReadOnly })) });
  },
};

const signRequest: UserEndpoint = {
  name: 'signRequest',
  method: 'POST',
  path: '/namespaces/{namespace}/tables/{table}/sign',
  async handle(call) {
    const place = tableOf(call);
    await call.face.demand(onTable('ReadTable', place));
    const request = requestToSign(await bodyOf(call));
    const location = await locationFor(call, place);
    if (isInStore(await call.engine.getRepository(place.repository), location))
      throw new CatalogError(
        406,
        'UnsupportedOperationException',
        `the files of ${shownName(place)} lie at addresses of the store, for which no requests are signed`,
      );
    demandInside(request.uri, location);
    const key = await keyFor(call, place, { location });
    if (!key) throw new CatalogError(400, 'BadRequestException', 'requests are signed for callers with a token of the catalog');
    return json({ uri: request.uri, headers: await signedHeaders(request, key) });
  },
};

/** Where the files of a table are. */
async function locationFor({ tables }: UserCall, place: TablePlace): Promise<string> {
  return (await tables.load(place)).metadata.location;
}

/** Reports of engines about their scans and commits are accepted and not kept; refusing them would fill the logs of the engines. */
const reportMetrics: UserEndpoint = {
  name: 'reportMetrics',
  method: 'POST',
  path: '/namespaces/{namespace}/tables/{table}/metrics',
  async handle(call) {
    const place = tableOf(call);
    await call.face.demand(onTable('ReadTable', place));
    await bodyOf(call);
    return empty;
  },
};

export const tableEndpoints = [
  listTables,
  createTable,
  registerTable,
  loadTable,
  tableExists,
  updateTable,
  commitTransaction,
  dropTable,
  renameTable,
  loadCredentials,
  signRequest,
  reportMetrics,
];
