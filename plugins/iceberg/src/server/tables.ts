/** Tables of refs: creating, loading, changing, moving and dropping them. */

import { randomUUID } from 'node:crypto';
import { messageOf } from '@srv/kernel';
import { KeyedLock } from '@srv/lib-stores/block';
import { CatalogError, isCatalogError, notCommitted, uncommitted } from './errors.js';
import { isSame, plainText } from './exact-json.js';
import { newMetadata } from './metadata/create.js';
import { expiredSnapshots } from './metadata/expiry.js';
import { nextLog } from './metadata/log.js';
import { emptyMetadata } from './metadata/model.js';
import { checkRequirements } from './metadata/requirements.js';
import { applyUpdates } from './metadata/updates.js';
import { namesIn, shownName, tablePath, tablesPrefix, viewPath } from './names.js';
import { rewriteAddresses, withoutSlash } from './rewrite/rewrite-addresses.js';
import { rewriteBranch } from './rewrite/rewrite-branch.js';
import { abort, addPending, commitPending, finish, readPointer, settlePointer } from './storage/pointers.js';
import { failedCommit } from './storage/records.js';
import { isFileOf, newLocation } from './storage/table-files.js';
import { hadMetadata } from './storage/written.js';
import type { Engine, Page, PageRequest, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { JsonObject } from './exact-json.js';
import type { ExpiryRules } from './metadata/expiry.js';
import type { PartitionSpec, Schema, Snapshot, SortOrder, TableMetadata } from './metadata/model.js';
import type { NamespacePlace, TablePlace } from './names.js';
import type { NamePage, Namespaces } from './namespaces.js';
import type { BranchRewriteOptions, RewrittenObject } from './rewrite/rewrite-branch.js';
import type { TablePointer } from './storage/pointers.js';
import type { RefRecords, Stored, WriteOutcome } from './storage/records.js';
import type { Locations, TableFiles } from './storage/table-files.js';

export interface LoadedTable {
  /** Absent: of a staged creation, which is not stored. */
  readonly location?: string;
  readonly metadata: TableMetadata;
}

export interface TableCreation {
  readonly schema: Schema;
  readonly spec: PartitionSpec | undefined;
  readonly order: SortOrder | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Nothing is stored; a commit creates the table. */
  readonly isStaged: boolean;
}

export interface RegisterOptions {
  /** Replaces a table of the name. */
  readonly overwrite: boolean;
  /** The table was copied from elsewhere: its addresses are rewritten. */
  readonly rewrite: boolean;
}

export interface TableChange {
  readonly place: TablePlace;
  readonly requirements: readonly JsonObject[];
  readonly updates: readonly JsonObject[];
}

interface TablesOptions {
  readonly engine: Engine;
  readonly namespaces: Namespaces;
  readonly files: TableFiles;
  /** Of new tables. */
  readonly locations: Locations;
  readonly log: Logger;
}

/** Attempts of a commit whose requirements hold although others changed the table. */
const tries = 50;

export class Tables {
  readonly #engine: Engine;
  readonly #namespaces: Namespaces;
  readonly #files: TableFiles;
  readonly #locations: Locations;
  readonly #log: Logger;
  readonly #turns = new KeyedLock();

  constructor({ engine, namespaces, files, locations, log }: TablesOptions) {
    this.#engine = engine;
    this.#namespaces = namespaces;
    this.#files = files;
    this.#locations = locations;
    this.#log = log;
  }

  async list(place: NamespacePlace, { after, amount }: { after: string; amount: number }): Promise<NamePage> {
    const records = await this.#namespaces.open(place);
    const { names, hasMore } = await records.names(tablesPrefix(place.namespace), { after, amount });
    const last = names.at(-1);
    return {
      names: namesIn(place.namespace, names),
      ...(hasMore && last !== undefined ? { next: last } : {}),
    };
  }

  /** Tables of all namespaces of a ref, in the order of their objects. */
  async all(place: Pick<NamespacePlace, 'repository' | 'ref'>, request: PageRequest): Promise<Page<TablePlace>> {
    const records = await this.#namespaces.openRef(place);
    return records.tables(request);
  }

  async load(place: TablePlace): Promise<LoadedTable> {
    const records = await this.#namespaces.openRef(place);
    const pointer = await readPointer(records, place);
    if (!pointer) throw noTable(place);
    const location = pointer['metadata-location'];
    return { location, metadata: await this.#files.readMetadata(records.repository, location) };
  }

  async exists(place: TablePlace): Promise<void> {
    if (!(await readPointer(await this.#namespaces.openRef(place), place))) throw noTable(place);
  }

  async create(place: TablePlace, { isStaged, ...creation }: TableCreation): Promise<LoadedTable> {
    const records = await this.#namespaces.open(place);
    if (await settlePointer(records, place)) throw exists(place);
    await demandNoView(records, place);
    const uuid = randomUUID();
    const location = newLocation(place, uuid, records.repository, this.#locations);
    const metadata = newMetadata({ ...creation, location, uuid, now: Date.now() });
    if (isStaged) return { metadata };
    const written = await this.#files.writeMetadata(records.repository, metadata, undefined);
    await this.#add(records, place, { 'table-uuid': uuid, 'metadata-location': written });
    return { location: written, metadata };
  }

  /** Makes a table of a metadata file that is there already. */
  async register(place: TablePlace, address: string, options: RegisterOptions): Promise<LoadedTable> {
    const records = await this.#namespaces.open(place);
    // Nothing may have referred to the file for long.
    return this.#engine.withPins(records.repository, { addresses: [address] }, async () => {
      const own = options.rewrite ? await this.#rewritten(records.repository, address) : address;
      return this.#registered(records, place, { address: own, overwrite: options.overwrite });
    });
  }

  /** Of a table whose folder was copied: the addresses in its files get to begin with that of the folder. @returns the address of the new metadata file. */
  async #rewritten(repository: Repository, address: string): Promise<string> {
    const to = address.replace(/\/metadata\/[^/]*$/, '/');
    if (to === address) throw new CatalogError(400, 'BadRequestException', `${address} is not in the folder metadata of a table`);
    const metadata = await this.#files.readMetadata(repository, address);
    const from = `${withoutSlash(metadata.location)}/`;
    if (`${metadata.location}/` === to) return address;
    const files = this.#files;
    return (await rewriteAddresses(address, metadata, { repository, files, from, to })).location;
  }

  /** A page of the tables and views of a branch that get other addresses: those of their repository, where it is a copy of another one, or the ones asked for. */
  async rewrite(
    place: Pick<NamespacePlace, 'repository' | 'ref'>,
    request: PageRequest,
    options: BranchRewriteOptions,
  ): Promise<Page<RewrittenObject>> {
    const records = await this.#namespaces.openRef(place);
    return rewriteBranch({ engine: this.#engine, files: this.#files, records, options }, request);
  }

  async #registered(
    records: RefRecords,
    place: TablePlace,
    { address, overwrite }: { readonly address: string; readonly overwrite: boolean },
  ): Promise<LoadedTable> {
    const metadata = await this.#files.readMetadata(records.repository, address);
    demandOwnLocation(records.repository, metadata.location, address);
    const pointer = { 'table-uuid': metadata['table-uuid'], 'metadata-location': address };
    const old = await settlePointer(records, place);
    if (old && overwrite) {
      const outcome = await records.write(tablePath(place), pointer, { ifMatch: old.etag });
      if (!(await this.#wasWritten(records, place, pointer, outcome))) throw moved(place);
    } else await this.#add(records, place, pointer);
    return { location: address, metadata };
  }

  /**
   * Changes a table, or creates a staged one. When others change it meanwhile and all requirements still hold, the change is
   * made to what they left. Clients of one server take turns.
   */
  async commit(change: TableChange): Promise<LoadedTable> {
    const { place } = change;
    const records = await uncommitted(() => this.#openFor(change));
    return this.#turns.run(`${records.repository.instanceUid} ${place.ref} ${tablePath(place)}`, () => this.#commit(records, change));
  }

  async #commit(records: RefRecords, change: TableChange): Promise<LoadedTable> {
    const { place } = change;
    for (let attempt = 0; attempt < tries; attempt++) {
      const { pointer, location, metadata } = await uncommitted(async () => {
        const found = await settlePointer(records, place);
        return { pointer: found, ...(await this.#changed(change, records, found)) };
      });
      const next = { 'table-uuid': metadata['table-uuid'], 'metadata-location': location };
      const condition = pointer ? { ifMatch: pointer.etag } : ({ ifAbsent: true } as const);
      const outcome = await records.write(tablePath(place), next, condition).catch(failedCommit);
      if (await this.#wasWritten(records, place, next, outcome)) return { location, metadata };
      // Only then: a commit of the branch may name it, too.
      if (outcome === 'unwritten') await uncommitted(() => this.#files.remove(records.repository, location));
    }
    throw moved(place);
  }

  /** Changes several tables of one branch, all or none of them. */
  async commitAll(changes: readonly TableChange[]): Promise<void> {
    const [first, ...others] = changes;
    if (!first) return;
    const paths = new Set(changes.map(({ place }) => tablePath(place)));
    if (paths.size !== changes.length) throw new CatalogError(400, 'BadRequestException', 'a table is named twice; join its changes');
    if (others.some(({ place }) => place.repository !== first.place.repository || place.ref !== first.place.ref))
      throw new CatalogError(400, 'BadRequestException', 'all tables of a transaction must be on the same branch');
    for (const change of others) await uncommitted(() => this.#openFor(change));
    const records = await uncommitted(() => this.#openFor(first));
    const transaction = randomUUID();
    const begun: TablePlace[] = [];
    try {
      // In one order for all, so that two changes of the same tables do not stop each other.
      for (const change of [...changes].sort((a, b) => (tablePath(a.place) < tablePath(b.place) ? -1 : 1))) {
        const pointer = await settlePointer(records, change.place);
        const { location, metadata } = await this.#changed(change, records, pointer);
        const pending = { transaction, 'table-uuid': metadata['table-uuid'], 'metadata-location': location };
        // Before it is written: the answer may be lost, although the pointer has changed.
        begun.push(change.place);
        if ((await addPending(records, change.place, pointer, pending)) !== 'written') throw moved(change.place);
      }
      if ((await commitPending(records, transaction)) !== 'written') throw moved(first.place);
    } catch (error) {
      // The answer to the last write may have been lost: then there is nothing left to abort.
      if (await abort(records, transaction)) {
        // The metadata files stay: a commit of the branch may name them.
        await this.#tidy(records, transaction, begun);
        throw notCommitted(error);
      }
    }
    await this.#tidy(records, transaction, begun);
  }

  /** The change has been decided: what this cannot write is left to the next writers of its tables. */
  async #tidy(records: RefRecords, transaction: string, places: readonly TablePlace[]): Promise<void> {
    try {
      await finish(records, transaction, places);
    } catch (error) {
      const { repository, ref } = records;
      this.#log.warn({ repository: repository.id, branch: ref, error: messageOf(error) }, 'a transaction was not cleaned up after');
    }
  }

  /** Removes old snapshots from a table; their files go with garbage collection. */
  async expire(place: TablePlace, rules: ExpiryRules, isDryRun: boolean): Promise<{ expired: string[]; left: number }> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const { metadata } = await this.load(place);
      const expired = expiredSnapshots(metadata, rules);
      const left = metadata.snapshots.length - expired.length;
      if (isDryRun || expired.length === 0) return { expired, left };
      const update = { action: 'remove-snapshots', 'snapshot-ids': expired.map(BigInt) };
      const unchanged = { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': metadata['current-snapshot-id'] ?? null };
      try {
        await this.commit({ place, requirements: [unchanged], updates: [update] });
        return { expired, left };
      } catch (error) {
        // A snapshot that was added meanwhile, or one that became the current one.
        if (!isCatalogError(error) || error.status !== 409) throw error;
      }
    }
    throw moved(place);
  }

  /** Files stay: other branches and commits may have the table. */
  async drop(place: TablePlace): Promise<void> {
    const records = await this.#namespaces.openRef(place);
    const { etag } = await this.#find(records, place);
    if (!(await records.remove(tablePath(place), etag))) throw moved(place);
  }

  /**
   * Within one ref. The table has one of both names at any moment a reader looks, or both; it keeps both when others change it
   * under each of them meanwhile.
   */
  async rename(source: TablePlace, destination: TablePlace): Promise<void> {
    if (source.repository !== destination.repository || source.ref !== destination.ref)
      throw new CatalogError(400, 'BadRequestException', 'a table cannot be moved to another branch by renaming; merge the branch instead');
    const records = await this.#namespaces.openRef(source);
    const { value, etag } = await this.#find(records, source);
    await this.#namespaces.open(destination);
    if (await records.has(viewPath({ ...destination, view: destination.table })))
      throw new CatalogError(
        409,
        'AlreadyExistsException',
        `Cannot rename ${shownName(source)} to ${shownName(destination)}. View already exists`,
      );
    const outcome = await this.#add(records, destination, value);
    if (await records.remove(tablePath(source), etag)) return;
    const left = await settlePointer(records, source);
    // Another table has the name by now: the one that was renamed may have lost it by this very removal.
    if (left && left.value['table-uuid'] !== value['table-uuid']) return;
    // Otherwise the name may be one that others have given it.
    if (outcome === 'written') await takeBack(records, destination, value);
    throw moved(source);
  }

  /** A table that is created needs its namespace. */
  #openFor({ place, requirements }: Pick<TableChange, 'place' | 'requirements'>): Promise<RefRecords> {
    const creates = requirements.some(({ type }) => type === 'assert-create');
    return creates ? this.#namespaces.open(place) : this.#namespaces.openRef(place);
  }

  async #changed(change: TableChange, records: RefRecords, pointer: Stored<TablePointer> | undefined) {
    const { place, requirements, updates } = change;
    const previous = pointer?.value['metadata-location'];
    const base = previous === undefined ? undefined : await this.#files.readMetadata(records.repository, previous);
    checkRequirements(base, requirements, shownName(place));
    if (!base) await demandNoView(records, place);
    const now = Date.now();
    const metadata = base
      ? nextLog(base, applyUpdates(base, updates, { isNew: false, now }), previous ?? '')
      : this.#createdBy(place, records.repository, updates, now);
    checkManifestLists(records.repository, metadata, base);
    return { metadata, location: await this.#files.writeMetadata(records.repository, metadata, previous) };
  }

  /** The table that the changes of a staged creation describe: where it is to be was decided when it was staged. */
  #createdBy(place: TablePlace, repository: Repository, updates: readonly JsonObject[], now: number): TableMetadata {
    const uuid = plainText(updates.find(({ action }) => action === 'assign-uuid')?.['uuid'] ?? randomUUID());
    if (!/^[0-9a-f-]{36}$/i.test(uuid)) throw new CatalogError(400, 'BadRequestException', `${uuid} is not a UUID`);
    const location = newLocation(place, uuid, repository, this.#locations);
    return applyUpdates(emptyMetadata(location, uuid), updates, { isNew: true, now });
  }

  /** @returns `unsure`: others may have written the same. @throws CatalogError 409 when it exists, 404 when its namespace was dropped meanwhile. */
  async #add(records: RefRecords, place: TablePlace, pointer: TablePointer): Promise<WriteOutcome> {
    await demandNoView(records, place);
    let outcome: WriteOutcome = 'unwritten';
    await this.#namespaces.addTo(records, place.namespace, async () => {
      outcome = await records.write(tablePath(place), pointer, { ifAbsent: true });
      if (!(await this.#wasWritten(records, place, pointer, outcome))) throw exists(place);
      return () => takeBack(records, place, pointer);
    });
    return outcome;
  }

  /** Whether a pointer was written, although others have changed it since: its write cannot say so then. */
  async #wasWritten(records: RefRecords, place: TablePlace, pointer: TablePointer, outcome: WriteOutcome): Promise<boolean> {
    if (outcome !== 'unsure') return outcome === 'written';
    const current = await settlePointer(records, place);
    return hadMetadata(this.#files, records.repository, current?.value, pointer['metadata-location']);
  }

  async #find(records: RefRecords, place: TablePlace): Promise<Stored<TablePointer>> {
    const found = await settlePointer(records, place);
    if (!found) throw noTable(place);
    return found;
  }
}

/** Removes a pointer that was just added. @returns false when others have changed it: it stays. */
async function takeBack(records: RefRecords, place: TablePlace, pointer: TablePointer): Promise<boolean> {
  const current = await settlePointer(records, place);
  return !current || (isSame(current.value, pointer) && records.remove(tablePath(place), current.etag));
}

/** @throws CatalogError 400 for a metadata file that is not below the location that it names: clients get access to that. */
function demandOwnLocation(repository: Repository, location: string, address: string): void {
  if (isFileOf(repository, location, address) && !location.endsWith('/')) return;
  throw new CatalogError(
    400,
    'BadRequestException',
    `${address} says that its table is at ${location}, which is not the folder that it is in; register it with --rewrite`,
  );
}

/** @throws CatalogError 400 when a snapshot names a new list that those who read the table cannot read. */
function checkManifestLists(repository: Repository, { snapshots, location }: TableMetadata, before: TableMetadata | undefined): void {
  const known = new Set(before?.snapshots.flatMap(manifestAddresses));
  for (const snapshot of snapshots)
    for (const address of manifestAddresses(snapshot))
      if (!known.has(address) && !isFileOf(repository, location, address))
        throw new CatalogError(
          400,
          'BadRequestException',
          `snapshot ${snapshot['snapshot-id']} names the manifest list or manifest ${JSON.stringify(address)}, which is not a file of the table; write it below ${withoutSlash(location)}/`,
        );
}

/** Of its list, or of its manifests, which those of format version 1 may name themselves. */
function manifestAddresses({ 'manifest-list': list, manifests }: Snapshot): string[] {
  return [list, ...(Array.isArray(manifests) ? manifests : [])].filter(address => typeof address === 'string');
}

/** @throws CatalogError 409: tables and views of a namespace have different names. */
async function demandNoView(records: RefRecords, place: TablePlace): Promise<void> {
  if (await records.has(viewPath({ ...place, view: place.table })))
    throw new CatalogError(409, 'AlreadyExistsException', `View with same name already exists: ${shownName(place)}`);
}

function noTable(place: TablePlace): CatalogError {
  return new CatalogError(404, 'NoSuchTableException', `Table does not exist: ${shownName(place)}`);
}

function exists(place: TablePlace): CatalogError {
  return new CatalogError(409, 'AlreadyExistsException', `Table already exists: ${shownName(place)}`);
}

function moved(place: TablePlace): CatalogError {
  return new CatalogError(409, 'CommitFailedException', `table ${shownName(place)} was changed concurrently: try again`);
}
