/** Views of refs: creating, loading, changing, moving and dropping them. */
import { randomUUID } from 'node:crypto';
import { CatalogError, uncommitted } from '../errors.js';
import { isSame, plainText } from '../exact-json.js';
import { namesIn, shownView, tablePath, viewPath, viewsPrefix } from '../names.js';
import { failedCommit } from '../storage/records.js';
import { newLocation } from '../storage/table-files.js';
import { applyViewUpdates, newViewMetadata, viewMetadataFrom } from './view-metadata.js';
import type { JsonObject } from '../exact-json.js';
import type { Schema } from '../metadata/model.js';
import type { NamespacePlace, ViewPlace } from '../names.js';
import type { NamePage, Namespaces } from '../namespaces.js';
import type { RefRecords, Stored, WriteOutcome } from '../storage/records.js';
import type { TableFiles } from '../storage/table-files.js';
import type { ViewMetadata } from './view-metadata.js';

export interface LoadedView {
  readonly location: string;
  readonly metadata: ViewMetadata;
}

export interface ViewCreation {
  readonly schema: Schema;
  readonly version: JsonObject;
  readonly properties: Readonly<Record<string, string>>;
}

interface ViewPointer extends JsonObject {
  readonly 'view-uuid': string;
  readonly 'metadata-location': string;
}

/** Attempts of a change whose requirements hold although others changed the view. */
const tries = 20;

export class Views {
  readonly #namespaces: Namespaces;
  readonly #files: TableFiles;

  constructor(namespaces: Namespaces, files: TableFiles) {
    this.#namespaces = namespaces;
    this.#files = files;
  }

  async list(place: NamespacePlace, { after, amount }: { after: string; amount: number }): Promise<NamePage> {
    const records = await this.#namespaces.open(place);
    const { names, hasMore } = await records.names(viewsPrefix(place.namespace), { after, amount });
    const last = names.at(-1);
    return {
      names: namesIn(place.namespace, names),
      ...(hasMore && last !== undefined ? { next: last } : {}),
    };
  }

  async load(place: ViewPlace): Promise<LoadedView> {
    const records = await this.#namespaces.openRef(place);
    const { value } = await this.#find(records, place);
    return this.#read(records, value['metadata-location']);
  }

  async exists(place: ViewPlace): Promise<void> {
    await this.#find(await this.#namespaces.openRef(place), place);
  }

  async create(place: ViewPlace, creation: ViewCreation): Promise<LoadedView> {
    const records = await this.#namespaces.open(place);
    const uuid = randomUUID();
    const metadata = newViewMetadata({
      ...creation,
      uuid,
      location: newLocation({ ...place, table: place.view }, uuid, records.repository, 'gateway'),
    });
    const location = await this.#files.writeDocument(records.repository, metadata.location, metadata);
    await this.#add(records, place, { 'view-uuid': uuid, 'metadata-location': location });
    return { location, metadata };
  }

  /** Changes a view. When others change it meanwhile and all requirements still hold, the change is made to what they left. */
  async commit(place: ViewPlace, requirements: readonly JsonObject[], updates: readonly JsonObject[]): Promise<LoadedView> {
    const records = await uncommitted(() => this.#namespaces.openRef(place));
    for (let attempt = 0; attempt < tries; attempt++) {
      const { etag, location, metadata } = await uncommitted(() => this.#changed(records, place, { requirements, updates }));
      const next = { 'view-uuid': metadata['view-uuid'], 'metadata-location': location };
      const outcome = await records.write(viewPath(place), next, { ifMatch: etag }).catch(failedCommit);
      if (await wasWritten(records, place, next, outcome)) return { location, metadata };
      // Only then: a commit of the branch may name it, too.
      if (outcome === 'unwritten') await uncommitted(() => this.#files.remove(records.repository, location));
    }
    throw moved(place);
  }

  /** Writes the next metadata file of a view. */
  async #changed(
    records: RefRecords,
    place: ViewPlace,
    { requirements, updates }: { readonly requirements: readonly JsonObject[]; readonly updates: readonly JsonObject[] },
  ) {
    const { value, etag } = await this.#find(records, place);
    const base = await this.#read(records, value['metadata-location']);
    checkViewRequirements(base.metadata, requirements, place);
    const metadata = applyViewUpdates(base.metadata, updates);
    const location = await this.#files.writeDocument(records.repository, metadata.location, metadata, base.location);
    return { etag, metadata, location };
  }

  async drop(place: ViewPlace): Promise<void> {
    const records = await this.#namespaces.openRef(place);
    const { etag } = await this.#find(records, place);
    if (!(await records.remove(viewPath(place), etag))) throw moved(place);
  }

  /** Within one ref. The view keeps both names when others change it under each of them meanwhile. */
  async rename(source: ViewPlace, destination: ViewPlace): Promise<void> {
    if (source.repository !== destination.repository || source.ref !== destination.ref)
      throw new CatalogError(400, 'BadRequestException', 'a view cannot be moved to another branch by renaming; merge the branch instead');
    const records = await this.#namespaces.openRef(source);
    const { value, etag } = await this.#find(records, source);
    await this.#namespaces.open(destination);
    const names = `Cannot rename ${shownView(source)} to ${shownView(destination)}`;
    if (await records.has(tablePath({ ...destination, table: destination.view })))
      throw new CatalogError(409, 'AlreadyExistsException', `${names}. Table already exists`);
    const outcome = await records.write(viewPath(destination), value, { ifAbsent: true });
    if (!(await wasWritten(records, destination, value, outcome)))
      throw new CatalogError(409, 'AlreadyExistsException', `${names}. View already exists`);
    if (await records.remove(viewPath(source), etag)) return;
    const left = await records.read<ViewPointer>(viewPath(source));
    // Another view has the name by now: the one that was renamed may have lost it by this very removal.
    if (left && left.value['view-uuid'] !== value['view-uuid']) return;
    // Otherwise the name may be one that others have given it.
    if (outcome === 'written') await takeBack(records, destination, value);
    throw moved(source);
  }

  /** @throws CatalogError 409 when a table or a view has the name, 404 when its namespace was dropped meanwhile. */
  async #add(records: RefRecords, place: ViewPlace, pointer: ViewPointer): Promise<void> {
    const isTable = await records.has(tablePath({ ...place, table: place.view }));
    if (isTable) throw new CatalogError(409, 'AlreadyExistsException', `Table with same name already exists: ${shownView(place)}`);
    await this.#namespaces.addTo(records, place.namespace, async () => {
      const outcome = await records.write(viewPath(place), pointer, { ifAbsent: true });
      if (!(await wasWritten(records, place, pointer, outcome)))
        throw new CatalogError(409, 'AlreadyExistsException', `View already exists: ${shownView(place)}`);
      return () => takeBack(records, place, pointer);
    });
  }

  async #find(records: RefRecords, place: ViewPlace): Promise<Stored<ViewPointer>> {
    const found = await records.read<ViewPointer>(viewPath(place));
    if (found && typeof found.value['metadata-location'] === 'string') return found;
    throw new CatalogError(404, 'NoSuchViewException', `View does not exist: ${shownView(place)}`);
  }

  async #read(records: RefRecords, location: string): Promise<LoadedView> {
    return { location, metadata: viewMetadataFrom(await this.#files.readDocument(records.repository, location), location) };
  }
}

/** Removes a pointer that was just added. @returns false when others have changed it: it stays. */
async function takeBack(records: RefRecords, place: ViewPlace, pointer: ViewPointer): Promise<boolean> {
  const current = await records.read<ViewPointer>(viewPath(place));
  return !current || (isSame(current.value, pointer) && records.remove(viewPath(place), current.etag));
}

/** Whether a pointer was written and is still there, which its write could not say. */
async function wasWritten(records: RefRecords, place: ViewPlace, pointer: ViewPointer, outcome: WriteOutcome): Promise<boolean> {
  if (outcome !== 'unsure') return outcome === 'written';
  const current = await records.read<ViewPointer>(viewPath(place));
  return current?.value['metadata-location'] === pointer['metadata-location'];
}

function moved(place: ViewPlace): CatalogError {
  return new CatalogError(409, 'CommitFailedException', `view ${shownView(place)} was changed concurrently: try again`);
}

/** @throws CatalogError 400 for a requirement that is not known, 409 for one that is not met. */
function checkViewRequirements(view: ViewMetadata, requirements: readonly JsonObject[], place: ViewPlace): void {
  for (const { type, uuid } of requirements) {
    if (type !== 'assert-view-uuid')
      throw new CatalogError(400, 'BadRequestException', `the requirement ${JSON.stringify(type)} of a view is not known`);
    if (plainText(uuid).toLowerCase() !== view['view-uuid'].toLowerCase())
      throw new CatalogError(
        409,
        'CommitFailedException',
        `Requirement failed: view UUID does not match: expected ${plainText(uuid)}, the view has ${view['view-uuid']} (${shownView(place)})`,
      );
  }
}
