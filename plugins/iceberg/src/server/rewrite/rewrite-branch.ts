/** Rewrites the tables and views of a branch whose addresses name another repository: the one that this one is a copy of. */

import { isSrvError } from '@srv/kernel';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { isCatalogError } from '../errors.js';
import { isObject, writeExact } from '../exact-json.js';
import { catalogPrefix, decodedName } from '../names.js';
import { addressOf, isInStore, ownAddress } from '../storage/table-files.js';
import { movedAddress, rewriteAddresses, rewrittenMetadata } from './rewrite-addresses.js';
import type { Engine, Page, PageRequest, Repository } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { RefRecords, Stored } from '../storage/records.js';
import type { TableFiles } from '../storage/table-files.js';
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
  /** Nothing is written. */
  readonly isDryRun: boolean;
}

/** Pointers of a page at most: each may have many files. */
const pageItems = 100;

/** One page of the pointers of the branch; those whose addresses are right are left out. */
export async function rewriteBranch(parts: RewriteParts, { after = '', amount = pageItems }: PageRequest): Promise<Page<RewrittenObject>> {
  const { engine, records } = parts;
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
  const { records, isDryRun } = parts;
  const pointer = await records.read(path);
  const from = pointer?.value['metadata-location'];
  if (!pointer || typeof from !== 'string') return undefined;
  const found = addressesOf(from, records.repository);
  if (!found) return undefined;
  const kind = folder === 'tables' ? 'table' : 'view';
  const shown = { kind, name: [...decodedName(namespace), ...decodedName(name)].join('.'), from } as const;
  if (isDryRun) return shown;
  try {
    const to = await (kind === 'table' ? rewriteTable : rewriteView)(from, found, parts);
    return (await moved(path, pointer, to, records)) ? { ...shown, to } : { ...shown, problem: 'it was changed concurrently: try again' };
  } catch (error) {
    if (!(error instanceof AvroError || isCatalogError(error) || isSrvError(error, 'invalid'))) throw error;
    return { ...shown, problem: error.message };
  }
}

/** `undefined`: the address is right, or not one of a repository. */
function addressesOf(address: string, repository: Repository): MovedPrefixes | undefined {
  if (ownAddress(repository, address) === address || isInStore(repository, address)) return undefined;
  const [, from] = /^s3[an]?:\/\/([^/]+)\//.exec(address) ?? [];
  return from === undefined ? undefined : { from: addressOf(from, ''), to: addressOf(repository.id, '') };
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
  await files.write(repository, to, Buffer.from(writeExact(next)));
  return to;
}

/** What several changes at once may have added is of the other repository, too: it ends first. */
async function moved(path: string, { value, etag }: Stored<JsonObject>, to: string, records: RefRecords): Promise<boolean> {
  if (value['pending'] !== undefined) return false;
  return records.write(path, { ...value, 'metadata-location': to }, { ifMatch: etag });
}
