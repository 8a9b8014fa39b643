/** Operations on tables, for the command line, the page and scripts; engines use the protocol of Iceberg. */
import { SrvError } from '@srv/kernel';
import {
  all,
  branchId,
  empty,
  flag,
  integer,
  json,
  list,
  listOf,
  mapOf,
  may,
  oneOf,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  record,
  ref,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { isCatalogError } from './server/errors.js';
import { checkParts } from './server/names.js';
import { onAllTables, onNamespace, onRemote, onTable } from './server/rights.js';
import { changedTables, shownTable } from './server/shown-table.js';
import type { OperationContext } from '@srv/lib-api';
import type { Catalog } from './contract.js';
import type { TablePlace } from './server/names.js';
import type { DemandCreation } from './server/namespaces.js';

const atRef = { repository: repositoryId, ref };
const onBranch = { repository: repositoryId, branch: branchId };
/** `<namespace>.<table>`; the namespace may have dots, too. */
const tableName = text();
const identifier = { namespace: list(text()), name: text() };
const here = record({ repository_id: text(), reference_id: text(), namespace: list(text()), table: text() });
const there = record({ namespace: list(text()), table: text() });
const placeHere = ({ repository_id: repository, reference_id: at, namespace, table: name }: HereBody): TablePlace => ({
  repository,
  ref: at,
  namespace,
  table: name,
});
const counts = { records: optional(text()), data_files: optional(text()) };

const snapshot = record({
  /** Of 64 bits, which JSON numbers of many programs do not hold. */
  snapshot_id: text(),
  parent_snapshot_id: optional(text()),
  /** Seconds since 1970. */
  creation_date: integer(),
  operation: optional(text()),
  ...counts,
});

const table = record({
  ...identifier,
  table_uuid: text(),
  format_version: integer(),
  location: text(),
  metadata_location: text(),
  fields: list(record({ id: integer(), name: text(), type: text(), required: text() })),
  partitioned_by: list(text()),
  properties: mapOf(text()),
  current_snapshot_id: optional(text()),
  snapshots: list(snapshot),
});

const change = record({
  type: oneOf('added', 'removed', 'changed', 'conflict'),
  ...identifier,
  records_before: optional(text()),
  records_after: optional(text()),
  data_files_before: optional(text()),
  data_files_after: optional(text()),
  /** Why a merge would not merge the table. */
  conflict: optional(text()),
});

interface HereBody {
  readonly repository_id: string;
  readonly reference_id: string;
  readonly namespace: readonly string[];
  readonly table: string;
}

export const icebergOperations = {
  pushTable: operation({
    operationId: 'pushTable',
    method: 'POST',
    path: '/iceberg/remotes/{catalog}/push',
    tag: 'iceberg',
    summary: 'Register the metadata file of a table in another catalog',
    params: { catalog: text() },
    body: record({ source: here, destination: there, force_update: optional(flag()), create_namespace: optional(flag()) }),
    status: 204,
    result: empty,
    failures: [403, 404, 409],
    permission: ({ catalog, body }) => all(onTable('ReadTable', placeHere(body.source)), onRemote('PushTable', catalog)),
    handler: (context, { catalog, body }) =>
      inCatalog(context, ({ exchange }) =>
        exchange.push({
          remote: catalog,
          here: placeHere(body.source),
          there: body.destination,
          force: body.force_update ?? false,
          createsNamespace: body.create_namespace ?? false,
        }),
      ),
  }),

  pullTable: operation({
    operationId: 'pullTable',
    method: 'POST',
    path: '/iceberg/remotes/{catalog}/pull',
    tag: 'iceberg',
    summary: 'Make a table of the metadata file that another catalog names',
    params: { catalog: text() },
    body: record({ source: there, destination: here, force_update: optional(flag()), create_namespace: optional(flag()) }),
    status: 204,
    result: empty,
    failures: [403, 404, 409],
    permission({ catalog, body }) {
      const { repository_id: repository } = body.destination;
      const place = placeHere(body.destination);
      return all(
        onRemote('PullTable', catalog),
        onTable('CreateTable', place),
        ...(body.create_namespace ? [onNamespace('CreateNamespace', place)] : []),
        // The file may be that of any table of the repository.
        onAllTables('ReadTable', repository),
        onAllTables('UpdateTable', repository),
      );
    },
    handler: (context, { catalog, body }) =>
      inCatalog(context, async ({ exchange }) => {
        await exchange.pull(
          {
            remote: catalog,
            here: placeHere(body.destination),
            there: body.source,
            force: body.force_update ?? false,
            createsNamespace: body.create_namespace ?? false,
          },
          mayCreate(context),
        );
      }),
  }),

  createTableNamespace: operation({
    operationId: 'createTableNamespace',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/iceberg/namespaces',
    tag: 'iceberg',
    summary: 'Create a namespace of tables on a branch',
    params: onBranch,
    body: record({ namespace: text(), properties: optional(mapOf(text())) }),
    status: 201,
    result: json(record({ namespace: list(text()) })),
    failures: [403, 404, 409],
    permission: ({ repository, body }) => onNamespace('CreateNamespace', { repository, namespace: body.namespace.split('.') }),
    handler: (context, { repository, branch, body }) =>
      inCatalog(context, async ({ namespaces }) => {
        const namespace = body.namespace.split('.');
        checkParts(namespace);
        await namespaces.create({ repository, ref: branch, namespace }, body.properties ?? {}, mayCreate(context));
        return { namespace };
      }),
  }),

  listTables: operation({
    operationId: 'listTables',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/iceberg/tables',
    tag: 'iceberg',
    summary: 'Tables of a ref, of all namespaces',
    params: atRef,
    query: paging,
    status: 200,
    result: json(listOf(record(identifier))),
    failures: [404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    handler: (context, input) =>
      inCatalog(context, async ({ tables }) => {
        const page = await tables.all({ repository: input.repository, ref: input.ref }, pageRequest(input));
        const seen = await Promise.all(page.results.map(place => context.decide(onTable('ReadTable', place))));
        const results = page.results.filter((_, i) => seen[i]?.allowed);
        return presentPage({ ...page, results }, ({ namespace, table: name }) => ({ namespace: [...namespace], name }));
      }),
  }),

  getTable: operation({
    operationId: 'getTable',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/iceberg/table',
    tag: 'iceberg',
    summary: 'A table of a ref: columns, partitions, snapshots',
    params: atRef,
    query: { name: tableName },
    status: 200,
    result: json(table),
    failures: [404],
    permission: input => onTable('ReadTable', placeOf(input)),
    handler: (context, input) => inCatalog(context, async ({ tables }) => shownTable(placeOf(input), await tables.load(placeOf(input)))),
  }),

  rollbackTable: operation({
    operationId: 'rollbackTable',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/iceberg/rollback',
    tag: 'iceberg',
    summary: 'Make an earlier snapshot of a table the current one',
    params: onBranch,
    body: record({ name: tableName, snapshot_id: text() }),
    status: 200,
    result: json(table),
    failures: [403, 404, 409],
    permission: ({ repository, branch, body }) => onTable('UpdateTable', placeOf({ repository, ref: branch, name: body.name })),
    handler: (context, { repository, branch, body }) =>
      inCatalog(context, async ({ tables }) => {
        const place = placeOf({ repository, ref: branch, name: body.name });
        if (!/^\d{1,19}$/.test(body.snapshot_id)) throw new SrvError('invalid', `${body.snapshot_id} is not the id of a snapshot`);
        const update = { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': BigInt(body.snapshot_id) };
        return shownTable(place, await tables.commit({ place, requirements: [], updates: [update] }));
      }),
  }),

  expireSnapshots: operation({
    operationId: 'expireSnapshots',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/iceberg/expire',
    tag: 'iceberg',
    summary: 'Expire old snapshots of a table',
    params: onBranch,
    body: record({
      name: tableName,
      /** Seconds since 1970. */
      older_than: optional(integer()),
      retain_last: optional(integer({ min: 1 })),
      dry_run: optional(flag()),
    }),
    status: 200,
    result: json(record({ expired: list(text()), left: integer() })),
    failures: [403, 404, 409],
    permission: ({ repository, branch, body }) => onTable('UpdateTable', placeOf({ repository, ref: branch, name: body.name })),
    handler: (context, { repository, branch, body }) =>
      inCatalog(context, ({ tables }) => {
        const { older_than: before, retain_last: retainLast } = body;
        const rules = {
          now: Date.now(),
          olderThan: before === undefined ? undefined : before * 1000,
          retainLast,
        };
        return tables.expire(placeOf({ repository, ref: branch, name: body.name }), rules, body.dry_run ?? false);
      }),
  }),

  registerTable: operation({
    operationId: 'registerTable',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/iceberg/register',
    tag: 'iceberg',
    summary: 'Make a table of a metadata file',
    params: onBranch,
    body: record({
      name: tableName,
      metadata_location: text(),
      overwrite: optional(flag()),
      /** The folder of the table was copied: addresses in its files are rewritten. */
      rewrite: optional(flag()),
    }),
    status: 201,
    result: json(table),
    failures: [403, 404, 409],
    permission: ({ repository, branch, body }) =>
      all(
        onTable('CreateTable', placeOf({ repository, ref: branch, name: body.name })),
        // The file may be that of any table of the repository.
        onAllTables('ReadTable', repository),
        onAllTables('UpdateTable', repository),
      ),
    handler: (context, { repository, branch, body }) =>
      inCatalog(context, async ({ tables }) => {
        const place = placeOf({ repository, ref: branch, name: body.name });
        return shownTable(
          place,
          await tables.register(place, body.metadata_location, { overwrite: body.overwrite ?? false, rewrite: body.rewrite ?? false }),
        );
      }),
  }),

  rewriteTables: operation({
    operationId: 'rewriteTables',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/iceberg/rewrite',
    tag: 'iceberg',
    summary: 'Give the tables of a branch the addresses of its repository or of the store',
    params: onBranch,
    body: record({
      /** Continues after a page. */
      after: optional(text()),
      /** Objects of the catalog to look at. */
      amount: optional(integer({ min: 1, max: 100 })),
      dry_run: optional(flag()),
      /** Which addresses all tables get; absent: those with addresses of another repository get the ones of this. */
      locations: optional(oneOf('gateway', 'store')),
    }),
    status: 200,
    result: json(
      listOf(record({ kind: oneOf('table', 'view'), name: text(), from: text(), to: optional(text()), problem: optional(text()) })),
    ),
    failures: [403, 404],
    permission: ({ repository }) => all(onAllTables('ReadTable', repository), onAllTables('UpdateTable', repository)),
    handler: (context, { repository, branch, body }) =>
      inCatalog(context, async ({ tables }) => {
        const { after, amount, dry_run: isDryRun = false, locations } = body;
        const request = { after, amount };
        return presentPage(await tables.rewrite({ repository, ref: branch }, request, { isDryRun, locations }), found => ({ ...found }));
      }),
  }),

  compareTables: operation({
    operationId: 'compareTables',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/iceberg/diff/{rightRef}',
    tag: 'iceberg',
    summary: 'Tables that differ between two refs, with their rows and files',
    params: { ...atRef, rightRef: ref },
    query: { ...paging, type: withDefault(oneOf('two_dot', 'three_dot'), 'three_dot') },
    status: 200,
    result: json(listOf(change)),
    failures: [404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    handler: (context, input) =>
      inCatalog(context, async ({ tables }) => {
        const { repository, ref: left, rightRef: right, type } = input;
        const page = await changedTables(context.services.get('engine'), tables, { repository, left, right, type, ...pageRequest(input) });
        const seen = await Promise.all(page.results.map(({ place }) => context.decide(onTable('ReadTable', place))));
        return presentPage({ ...page, results: page.results.filter((_, i) => seen[i]?.allowed) }, ({ place: _, ...shown }) => shown);
      }),
  }),
};

export default icebergOperations;

/** @throws SrvError `invalid` for a name without a namespace. */
function placeOf({ repository, ref: at, name }: { repository: string; ref: string; name: string }): TablePlace {
  const parts = name.split('.');
  const namespace = parts.slice(0, -1);
  if (parts.length < 2 || parts.includes('')) throw new SrvError('invalid', `${name} is not <namespace>.<table>`);
  return { repository, ref: at, namespace, table: parts.at(-1) ?? '' };
}

/** Of namespaces: also those around the one that is named. */
function mayCreate(context: OperationContext): DemandCreation {
  return async place => {
    const { allowed, reason } = await context.decide(onNamespace('CreateNamespace', place));
    if (!allowed) throw new SrvError('denied', reason ?? `namespace ${place.namespace.join('.')} may not be created`);
  };
}

/** Refusals of the catalog in the terms of the HTTP API. */
async function inCatalog<T>({ services }: Pick<OperationContext, 'services'>, work: (catalog: Catalog) => Promise<T>): Promise<T> {
  try {
    return await work(await services.get('iceberg').open());
  } catch (error) {
    if (!isCatalogError(error)) throw error;
    const code = error.status === 404 ? 'not_found' : error.status === 409 ? 'conflict' : 'invalid';
    throw new SrvError(code, error.message, { cause: error });
  }
}

declare module '@srv/lib-api' {
  interface Operations extends IcebergOperations {}
}

/** Operations by id. */
export type IcebergOperations = typeof icebergOperations;
