/**
 * Rewrites the tables and views of a branch whose addresses name another repository: the one that this one is a copy of. Or its
 * tables, to the addresses of the store or of the gateway.
 */

import { isSrvError } from '@srv/kernel';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { CatalogError, isCatalogError } from '../errors.js';
import { isObject } from '../exact-json.js';
import { catalogPrefix, decodedName } from '../names.js';
import { addressOf, isInStore, ownAddress, storeFolder } from '../storage/table-files.js';
import { hadMetadata } from '../storage/written.js';
import { movedAddress, rewriteAddresses, rewrittenMetadata } from './rewrite-addresses.js';
import type { Engine, Page, PageRequest, Repository } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { RefRecords, Stored } from '../storage/records.js';
import type { Locations, TableFiles } from '../storage/table-files.js';
import type { MovedPrefixes } from './rewrite-addresses.js';

export interface RewrittenObject {
  readonly kind: 'table' | 'view';
  /** `<namespace>.<name>`. */
  readonly name: string;
  /** Addresses of the metadata file. */
  readonly from: string;
  /** Absent: it was not rewritten. */
  readonly to?: string;
  /** Why not. */
  readonly problem?: string;
}

interface RewriteParts {
  readonly engine: Engine;
  readonly files: TableFiles;
  readonly records: RefRecords;
  readonly options: BranchRewriteOptions;
}

export interface BranchRewriteOptions {
  /** Nothing is written. */
  readonly isDryRun: boolean;
  /** Which addresses tables are to have; absent: those of this repository, in the gateway or in the store. */
  readonly locations?: Locations | undefined;
}

/** Pointers of a page at most: each may have many files. */
const pageItems = 100;

/** One page of the pointers of the branch; those whose addresses are right are left out. */
export async function rewriteBranch(parts: RewriteParts, { after = '', amount = pageItems }: PageRequest): Promise<Page<RewrittenObject>> {
  const { engine, records, options } = parts;
  if (options.locations === 'store' && storeFolder(records.repository) === undefined)
    throw new CatalogError(
      400,
      'BadRequestException',
      `the store of ${records.repository.id} has no addresses that engines know: they are of S3, Google or Azure`,
    );
  const request = { prefix: catalogPrefix, after, amount: Math.min(amount, pageItems) };
  const page = await engine.list(records.repository, records.ref, request);
  const results: RewrittenObject[] = [];
  for (const { path } of page.results) {
    const done = await rewritePointer(path, parts);
    if (done) results.push(done);
  }
  return { ...page, results };
}

async function rewritePointer(path: string, parts: RewriteParts): Promise<RewrittenObject | undefined> {
  const [namespace = '', folder, name, ...more] = path.slice(catalogPrefix.length).split('/');
  if ((folder !== 'tables' && folder !== 'views') || !name || more.length > 0) return undefined;
  const [inside, last] = [decodedName(namespace), decodedName(name)];
  if (!inside || !last) return undefined;
  const { records, options } = parts;
  const pointer = await records.read(path);
  const from = pointer?.value['metadata-location'];
  if (!pointer || typeof from !== 'string') return undefined;
  const kind = folder === 'tables' ? 'table' : 'view';
  // Views have addresses of the gateway only.
  const found = movedPrefixes(from, records.repository, kind === 'table' ? options.locations : undefined);
  if (!found) return undefined;
  const shown = { kind, name: [...inside, ...last].join('.'), from } as const;
  if (options.isDryRun) return shown;
  try {
    const to = await (kind === 'table' ? rewriteTable : rewriteView)(from, found, parts);
    return (await moved(path, pointer, to, parts)) ? { ...shown, to } : { ...shown, problem: 'it was changed concurrently: try again' };
  } catch (error) {
    if (!(error instanceof AvroError || isCatalogError(error) || isSrvError(error, 'invalid'))) throw error;
    return { ...shown, problem: error.message };
  }
}

/** `undefined`: the address is right, or not one of a repository. */
function movedPrefixes(address: string, repository: Repository, locations: Locations | undefined): MovedPrefixes | undefined {
  const [inGateway, inStore] = [addressOf(repository.id, ''), storeFolder(repository)];
  if (isInStore(repository, address))
    return locations === 'gateway' && inStore !== undefined ? { from: inStore, to: inGateway } : undefined;
  const [, named] = /^s3[an]?:\/\/([^/]+)\//.exec(address) ?? [];
  const to = locations === 'store' && inStore !== undefined ? inStore : inGateway;
  const isRight = ownAddress(repository, address) === address && to === inGateway;
  return named === undefined || isRight ? undefined : { from: addressOf(named, ''), to };
}

async function rewriteTable(from: string, prefixes: MovedPrefixes, { files, records: { repository } }: RewriteParts): Promise<string> {
  const metadata = await files.readMetadata(repository, ownAddress(repository, from));
  return (await rewriteAddresses(from, metadata, { ...prefixes, repository, files })).location;
}

/** The metadata of a view is all that it has. */
async function rewriteView(from: string, prefixes: MovedPrefixes, { files, records: { repository } }: RewriteParts): Promise<string> {
  const metadata = await files.readDocument(repository, ownAddress(repository, from));
  const location = isObject(metadata) ? String(metadata['location']) : '';
  const next = { ...(metadata as JsonObject), location: movedAddress(location, prefixes) };
  const to = rewrittenMetadata(from, `${next.location}/metadata`, prefixes);
  await files.writeJson(repository, to, next);
  return to;
}

/** What several changes at once may have added is of the other repository, too: it ends first. */
async function moved(path: string, { value, etag }: Stored<JsonObject>, to: string, { files, records }: RewriteParts): Promise<boolean> {
  if (value['pending'] !== undefined) return false;
  const outcome = await records.write(path, { ...value, 'metadata-location': to }, { ifMatch: etag });
  if (outcome !== 'unsure') return outcome === 'written';
  return hadMetadata(files, records.repository, (await records.read(path))?.value, to);
}
