/** Calls about views. */
import { empty, json } from '../answers.js';
import { bodyOf, changed, identifierOf, listed, namespaceOf, objectList, partOf, schemaOf, textMap, updatesOf } from '../endpoint.js';
import { CatalogError } from '../errors.js';
import { isObject } from '../exact-json.js';
import { checkParts, fullName, partsOf, relativeName, shownView } from '../names.js';
import { onNamespace, onView } from '../rights.js';
import { namespacePlace } from '../storage/places.js';
import type { HttpResponse } from '@srv/http/contract';
import type { UserCall, UserEndpoint } from '../endpoint.js';
import type { JsonObject } from '../exact-json.js';
import type { ViewPlace } from '../names.js';
import type { LoadedView } from '../views/views.js';

const listViews: UserEndpoint = {
  name: 'listViews',
  method: 'GET',
  path: '/namespaces/{namespace}/views',
  async handle(call) {
    const full = fullName(call.scope, partsOf(call.params['namespace'] ?? ''));
    // Repositories and refs hold no views themselves.
    if (full.length < 3) return json({ identifiers: [], 'next-page-token': null });
    const place = namespacePlace(full);
    await call.face.demand(onNamespace('ListViews', place));
    const page = await listed(call.query, asked => call.views.list(place, asked));
    const namespace = relativeName(call.scope, full);
    const seen = await Promise.all(page.names.map(name => call.face.may(onView('ReadView', { ...place, view: name.at(-1) ?? '' }))));
    const identifiers = page.names.filter((_, i) => seen[i]).map(name => ({ namespace, name: name.at(-1) }));
    return json({ identifiers, 'next-page-token': page.next ?? null });
  },
};

const createView: UserEndpoint = {
  name: 'createView',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/views',
  async handle(call) {
    const body = await bodyOf(call);
    const { name } = body;
    if (typeof name !== 'string') throw new CatalogError(400, 'BadRequestException', 'the name of the view is missing');
    checkParts([name]);
    const place = { ...namespaceOf(call), view: name };
    await call.face.demand(onView('CreateView', place));
    const version = body['view-version'];
    if (!isObject(version)) throw new CatalogError(400, 'BadRequestException', 'view-version is missing');
    const schema = schemaOf(body, 'schema');
    const view = await call.views.create(place, { schema, version, properties: textMap(body['properties'], 'properties') });
    await changed(call, place, `create view ${shownView(place)}`);
    return viewAnswer(view);
  },
};

const loadView: UserEndpoint = {
  name: 'loadView',
  method: 'GET',
  path: '/namespaces/{namespace}/views/{view}',
  async handle(call) {
    const place = viewOf(call);
    await call.face.demand(onView('ReadView', place));
    return viewAnswer(await call.views.load(place));
  },
};

const viewExists: UserEndpoint = {
  name: 'viewExists',
  method: 'HEAD',
  path: '/namespaces/{namespace}/views/{view}',
  async handle(call) {
    const place = viewOf(call);
    await call.face.demand(onView('ReadView', place));
    await call.views.exists(place);
    return empty;
  },
};

const replaceView: UserEndpoint = {
  name: 'replaceView',
  isChange: true,
  method: 'POST',
  path: '/namespaces/{namespace}/views/{view}',
  async handle(call) {
    const body = await bodyOf(call);
    const place = viewOf(call);
    await call.face.demand(onView('UpdateView', place));
    const view = await call.views.commit(place, objectList(body['requirements'], 'requirements'), updatesOf(body));
    await changed(call, place, `change view ${shownView(place)}`);
    return viewAnswer(view);
  },
};

const dropView: UserEndpoint = {
  name: 'dropView',
  isChange: true,
  method: 'DELETE',
  path: '/namespaces/{namespace}/views/{view}',
  async handle(call) {
    const place = viewOf(call);
    await call.face.demand(onView('DeleteView', place));
    await call.views.drop(place);
    await changed(call, place, `drop view ${shownView(place)}`);
    return empty;
  },
};

const renameView: UserEndpoint = {
  name: 'renameView',
  isChange: true,
  method: 'POST',
  path: '/views/rename',
  async handle(call) {
    const body = await bodyOf(call);
    const [source, destination] = [named(call, body, 'source'), named(call, body, 'destination')];
    await call.face.demand({ all: [onView('DeleteView', source), onView('CreateView', destination)] });
    await call.views.rename(source, destination);
    await changed(call, source, `rename view ${shownView(source)} to ${shownView(destination)}`);
    return empty;
  },
};

function viewOf(call: UserCall): ViewPlace {
  return { ...namespaceOf(call), view: partOf(call, 'view') };
}

function named(call: UserCall, body: JsonObject, member: string): ViewPlace {
  const { table: view, ...place } = identifierOf(call, body, member);
  return { ...place, view };
}

function viewAnswer({ location, metadata }: LoadedView): Promise<HttpResponse> {
  return json({ 'metadata-location': location, metadata, config: {} });
}

export const viewEndpoints = [listViews, createView, loadView, viewExists, replaceView, dropView, renameView];
