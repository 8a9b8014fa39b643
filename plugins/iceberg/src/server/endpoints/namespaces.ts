/** Calls about namespaces. Repositories and refs are the first two levels; they are listed, and made elsewhere. */
import { isSrvError } from '@srv/kernel';
import { branchArn, repositoryArn } from '@srv/lib-api';
import { empty, json } from '../answers.js';
import { bodyOf, changed, listed, nameList, namespaceOf, textMap } from '../endpoint.js';
import { CatalogError, isCatalogError } from '../errors.js';
import { checkParts, fullName, partsOf, relativeName } from '../names.js';
import { onNamespace } from '../rights.js';
import { namespacePlace } from '../storage/places.js';
import { systemNamespace } from '../system/system-tables.js';
import type { PageAsked, UserCall, UserEndpoint } from '../endpoint.js';
import type { NamePage } from '../namespaces.js';

const listNamespaces: UserEndpoint = {
  name: 'listNamespaces',
  method: 'GET',
  path: '/namespaces',
  async handle(call) {
    const { scope, query } = call;
    const parent = query.get('parent') ?? '';
    const full = fullName(scope, parent === '' ? [] : partsOf(encodeURIComponent(parent)));
    const page = await listed(query, asked => below(call, full, asked));
    const namespaces = page.names.map(name => relativeName(scope, name));
    return json({ namespaces, 'next-page-token': page.next ?? null });
  },
};

/** Full names one level below. */
async function below(call: UserCall, full: readonly string[], page: PageAsked): Promise<NamePage> {
  const [repository, ref, ...namespace] = full;
  if (repository === undefined) return repositories(call, page);
  if (ref === undefined) return branches(call, repository, page);
  await call.face.demand(onNamespace('ListNamespaces', { repository, namespace }));
  if (call.systemTables.namesIn({ namespace }).length > 0) return { names: [] };
  const found = await call.namespaces.children({ repository, ref, namespace }, page);
  const names = found.names.map(name => [repository, ref, ...name]);
  const isTop = namespace.length === 0 && found.next === undefined;
  if (isTop && !names.some(name => name[2] === systemNamespace) && (await call.systemTables.isListed(repository)))
    names.push([repository, ref, systemNamespace]);
  return { ...found, names };
}

async function repositories({ face, engine }: UserCall, { after, amount }: PageAsked): Promise<NamePage> {
  const visible = await face.visibility('fs:ReadRepository');
  const page = await engine.listRepositories({ after, amount, visible: ({ id }) => visible(repositoryArn(id)) });
  return { names: page.results.map(({ id }) => [id]), ...(page.hasMore ? { next: page.nextOffset } : {}) };
}

async function branches({ face, engine }: UserCall, repository: string, { after, amount }: PageAsked): Promise<NamePage> {
  await face.demand({ action: 'fs:ListBranches', resource: repositoryArn(repository) });
  try {
    const page = await engine.listBranches(repository, { after, amount });
    return { names: page.results.map(({ id }) => [repository, id]), ...(page.hasMore ? { next: page.nextOffset } : {}) };
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid'))
      throw new CatalogError(404, 'NoSuchNamespaceException', `there is no repository ${repository}`, { cause: error });
    throw error;
  }
}

const createNamespace: UserEndpoint = {
  name: 'createNamespace',
  isChange: true,
  method: 'POST',
  path: '/namespaces',
  async handle(call) {
    const body = await bodyOf(call);
    const parts = nameList(body['namespace'], 'namespace');
    checkParts(parts);
    const properties = textMap(body['properties'], 'properties');
    const full = fullName(call.scope, parts);
    if (full.length < 3)
      throw new CatalogError(
        400,
        'BadRequestException',
        `${full.join('.')} is a repository or a ref; create those with the command line, the page or the HTTP API`,
      );
    const place = namespacePlace(full);
    await call.namespaces.create(place, properties, missing => call.face.demand(onNamespace('CreateNamespace', missing)));
    await changed(call, place, `create namespace ${place.namespace.join('.')}`);
    return json({ namespace: parts, properties });
  },
};

/** A repository or a ref has no properties, but exists. */
async function propertiesOf(call: UserCall): Promise<Record<string, string>> {
  const full = fullName(call.scope, partsOf(call.params['namespace'] ?? ''));
  const [repository = '', ref] = full;
  if (full.length > 2) {
    const place = namespacePlace(full);
    await call.face.demand(onNamespace('GetNamespace', place));
    try {
      return await call.namespaces.properties(place);
    } catch (error) {
      if (call.systemTables.namesIn(place).length > 0 && isCatalogError(error) && error.status === 404) return {};
      throw error;
    }
  }
  const permission =
    ref === undefined
      ? { action: 'fs:ReadRepository', resource: repositoryArn(repository) }
      : { action: 'fs:ReadBranch', resource: branchArn(repository, ref) };
  await call.face.demand(permission);
  try {
    if (ref === undefined) await call.engine.getRepository(repository);
    else await call.engine.getCommit(repository, ref);
    return {};
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid', 'gone'))
      throw new CatalogError(404, 'NoSuchNamespaceException', `there is no ${full.join('.')}`, { cause: error });
    throw error;
  }
}

const loadNamespace: UserEndpoint = {
  name: 'loadNamespaceMetadata',
  method: 'GET',
  path: '/namespaces/{namespace}',
  handle: async call => json({ namespace: partsOf(call.params['namespace'] ?? ''), properties: await propertiesOf(call) }),
};

const namespaceExists: UserEndpoint = {
  name: 'namespaceExists',
  method: 'HEAD',
  path: '/namespaces/{namespace}',
  async handle(call) {
    await propertiesOf(call);
    return empty;
  },
};

const dropNamespace: UserEndpoint = {
  name: 'dropNamespace',
  isChange: true,
  method: 'DELETE',
  path: '/namespaces/{namespace}',
  async handle(call) {
    const place = namespaceOf(call);
    await call.face.demand(onNamespace('DeleteNamespace', place));
    await call.namespaces.drop(place);
    await changed(call, place, `drop namespace ${place.namespace.join('.')}`);
    return empty;
  },
};

const updateProperties: UserEndpoint = {
  name: 'updateProperties',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/properties',
  async handle(call) {
    const body = await bodyOf(call);
    const removals = body['removals'] === undefined || body['removals'] === null ? [] : nameList(body['removals'], 'removals');
    const updates = textMap(body['updates'], 'updates');
    const both = removals.find(name => Object.hasOwn(updates, name));
    if (both !== undefined) throw new CatalogError(422, 'UnprocessableEntityException', `property ${both} is both removed and updated`);
    const place = namespaceOf(call);
    await call.face.demand(onNamespace('UpdateNamespace', place));
    const missing = await call.namespaces.change(place, updates, removals);
    await changed(call, place, `change namespace ${place.namespace.join('.')}`);
    return json({ updated: Object.keys(updates), removed: removals.filter(name => !missing.includes(name)), missing });
  },
};

export const namespaceEndpoints = [listNamespaces, createNamespace, loadNamespace, namespaceExists, dropNamespace, updateProperties];
