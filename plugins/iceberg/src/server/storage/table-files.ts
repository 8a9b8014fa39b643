/**
 * Files of tables. They lie in the storage namespace of the repository and have addresses without a ref,
 * `s3://<repository>/.tables/<path>`, which are valid on every branch; the S3 gateway serves them there.
 */
import { createHash, randomUUID } from 'node:crypto';
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { CatalogError } from '../errors.js';
import { exactBytes, isObject, parseExact } from '../exact-json.js';
import { completed, malformedMember, toWrite } from '../metadata/model.js';
import { unpackedDocument } from './packed.js';
import type { Readable } from 'node:stream';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { JsonObject } from '../exact-json.js';
import type { TableMetadata } from '../metadata/model.js';
import type { TablePlace } from '../names.js';

/** First part of the keys of table files in the gateway; no ref can have this name. */
export const folderName = '.tables';
/** Prefix of their places below the storage namespace. */
export const folderPrefix = 'tables/';

/** Bytes of the longest file that is read: of metadata, or a manifest. */
export const maxFile = 64 << 20;

/** How the addresses of a new table begin: with that of the gateway, or of the store, which clients then read and write directly. */
export type Locations = 'gateway' | 'store';

type Stored = Pick<Repository, 'id' | 'storageNamespace'>;

/**
 * Where a new table has its files. Its name is for people. Clients may choose the UUID, so tables of different names must have
 * different folders: who may read a table gets access to its folder.
 * @param locations `store` where the store has addresses that engines know.
 */
export function newLocation({ namespace, table }: TablePlace, uuid: string, repository: Stored, locations: Locations): string {
  const path = `${[...namespace, table].map(folderPart).join('/')}-${uuid}`;
  const folder = locations === 'store' ? storeFolder(repository) : undefined;
  return folder === undefined ? addressOf(repository.id, path) : folder + path;
}

/** A part of a name as that of a folder; no other part has the same. The dot is in none that stays as it is. */
function folderPart(part: string): string {
  const plain = part.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return plain === part ? part : `${plain}.${createHash('sha256').update(part).digest('hex').slice(0, 16)}`;
}

/** Address of a path below the folder of table files. */
export const addressOf = (repository: string, path: string): string => `s3://${repository}/${folderName}/${path}`;

/** Address in the store of the folder of table files, as engines spell it; `undefined` for stores that they do not know. */
export function storeFolder({ storageNamespace }: Pick<Stored, 'storageNamespace'>): string | undefined {
  const base = `${storageNamespace.replace(/\/$/, '')}/${folderPrefix}`;
  if (/^(s3|gs):\/\//.test(base)) return base;
  const [, account, service, container, path] = /^https:\/\/([^/.]+)\.blob\.([^/]+)\/([^/]+)\/(.*)$/.exec(base) ?? [];
  return container === undefined ? undefined : `abfss://${container}@${account}.dfs.${service}/${path}`;
}

/** Schemes of one store that programs exchange. */
const spellings: Readonly<Record<string, string>> = { s3a: 's3', s3n: 's3', abfs: 'abfss', wasb: 'abfss', wasbs: 'abfss' };

/**
 * Path below the folder of table files; `undefined`: the address is elsewhere. However programs spell the scheme and slashes, and
 * whichever repository an address of the gateway names: where a storage namespace was copied, it is the one that it was copied from.
 */
export function filePath(repository: Pick<Stored, 'storageNamespace'>, address: string): string | undefined {
  return exactPath(repository, address)
    ?.split('/')
    .filter(part => part !== '')
    .join('/');
}

/** As {@link filePath}, with the slashes of the address: stores and the gateway keep `a//b` and `a/b` apart. */
export function exactPath(repository: Pick<Stored, 'storageNamespace'>, address: string): string | undefined {
  const inStore = pathInStore(repository, address);
  if (inStore !== undefined) return inStore;
  const [scheme = '', ...parts] = partsOf(address) ?? [];
  const bucket = parts.find(part => part !== '') ?? '';
  return scheme === 's3' ? partsBelow([scheme, bucket, folderName], [scheme, ...parts])?.join('/') : undefined;
}

/** Path of a file whose address is that in the store. */
function pathInStore(repository: Pick<Stored, 'storageNamespace'>, address: string): string | undefined {
  const folder = storeFolder(repository);
  const [base, parts] = [folder === undefined ? undefined : partsOf(folder), partsOf(address)];
  return (
    base &&
    parts &&
    partsBelow(
      base.filter(part => part !== ''),
      parts,
    )?.join('/')
  );
}

/** What follows the parts of a folder, in which empty ones do not count. */
function partsBelow(folder: readonly string[], parts: readonly string[]): readonly string[] | undefined {
  let next = 0;
  for (const wanted of folder) {
    while (parts[next] === '') next++;
    if (parts[next] !== wanted) return undefined;
    next++;
  }
  return parts.slice(next);
}

/** Scheme, bucket or account, and what slashes divide. */
function partsOf(address: string): readonly string[] | undefined {
  const [scheme = '', ...rest] = address.split('://');
  if (rest.length === 0) return undefined;
  const parts = rest.join('://').split('/');
  const known = spellings[scheme] ?? scheme;
  if (known === 'abfss') parts[0] = (parts[0] ?? '').replace('.blob.', '.dfs.');
  return [known, ...parts];
}

/** Address in the gateway of a file whose address may be that in the store, or name the repository that it was copied from. */
export function ownAddress(repository: Stored, address: string): string {
  const path = exactPath(repository, address);
  return path === undefined ? address : addressOf(repository.id, path);
}

/** Whether clients read and write the files of a table in the store itself. */
export function isInStore(repository: Stored, location: string): boolean {
  return pathInStore(repository, location) !== undefined;
}

/**
 * Whether an address is that of a file in the folder of a table, and of the same kind as the location: clients get access to the
 * gateway or to the store.
 */
export function isFileOf(repository: Stored, location: string, address: string): boolean {
  const [folder, path] = [exactPath(repository, location), exactPath(repository, address)];
  const isOwn = isInStore(repository, location) ? isInStore(repository, address) : address.startsWith(addressOf(repository.id, ''));
  if (!isOwn || folder === undefined || path === undefined) return false;
  return path.startsWith(`${folder}/`) && !path.split('/').some(part => part === '.' || part === '..');
}

export class TableFiles {
  readonly #block: BlockStore;

  constructor(block: BlockStore) {
    this.#block = block;
  }

  /** @throws CatalogError 404 for a missing file, 400 for one that is not metadata of a table or lies elsewhere. */
  async readMetadata(repository: Repository, address: string): Promise<TableMetadata> {
    const read = await this.readDocument(repository, address);
    if (!isObject(read) || typeof read['location'] !== 'string' || read['format-version'] === undefined)
      throw new CatalogError(400, 'BadRequestException', `${address} is not a metadata file of a table`);
    const metadata = completed(read);
    const malformed = malformedMember(metadata);
    if (malformed === undefined) return metadata;
    throw new CatalogError(400, 'BadRequestException', `${address} is not a metadata file of a table: its ${malformed} is malformed`);
  }

  /** Stores the next metadata file of a table. @returns its address. */
  writeMetadata(repository: Repository, table: TableMetadata, previous: string | undefined): Promise<string> {
    return this.writeDocument(repository, table.location, toWrite(table), previous);
  }

  async readDocument(repository: Repository, address: string): Promise<unknown> {
    const stored = await this.read(repository, address);
    try {
      return await parseExact(await unpackedDocument(stored, maxFile), address);
    } catch (error) {
      if (error instanceof CatalogError) throw error;
      const reason = `${address} is damaged, or has more than ${maxFile >> 20} MiB when it is unpacked`;
      throw new CatalogError(400, 'BadRequestException', reason, { cause: error });
    }
  }

  /** Stores the next metadata file of a table or a view. @param previous address of the last one. @returns its address. */
  async writeDocument(repository: Repository, location: string, content: JsonObject, previous?: string): Promise<string> {
    const version = previous === undefined ? 0 : versionOf(previous) + 1;
    const address = `${location}/metadata/${String(version).padStart(5, '0')}-${randomUUID()}.metadata.json`;
    await this.writeJson(repository, address, content);
    return address;
  }

  /** Stores a document, such as metadata, under an address of its own. */
  async writeJson(repository: Repository, address: string, content: JsonObject): Promise<void> {
    await this.write(repository, address, await exactBytes(content));
  }

  async write(repository: Repository, address: string, bytes: Buffer): Promise<void> {
    await this.#block.put(this.#pointer(repository, address), bytes);
  }

  /** Of a metadata file that nothing refers to. */
  async remove(repository: Repository, address: string): Promise<void> {
    await this.#block.remove(this.#pointer(repository, address));
  }

  /** A file that is held whole. @throws CatalogError 404 for a missing one, 400 for one that lies elsewhere, SrvError `invalid` for one that is too long. */
  async read(repository: Repository, address: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of await this.open(repository, address)) {
      pieces.push(piece as Buffer);
      length += (piece as Buffer).length;
      if (length > maxFile)
        throw new SrvError('invalid', `${address} is longer than ${maxFile >> 20} MiB; compact the table, or expire its snapshots`);
    }
    return Buffer.concat(pieces);
  }

  /** @throws CatalogError 404 for a missing file, 400 for one that lies elsewhere. */
  async open(repository: Repository, address: string, signal?: AbortSignal): Promise<Readable> {
    const pointer = this.#pointer(repository, address);
    try {
      return await this.#block.get(pointer, { signal });
    } catch (error) {
      if (isSrvError(error, 'no_data')) throw new CatalogError(404, 'NotFoundException', `${address} does not exist`, { cause: error });
      throw error;
    }
  }

  /** @throws CatalogError 400 for an address that is not one of the repository's table files. */
  #pointer(repository: Repository, address: string): ObjectPointer {
    const base = addressOf(repository.id, '');
    const inStore = storeFolder(repository);
    const folder = [base, inStore].find(known => known !== undefined && address.startsWith(known));
    const path = address.slice(folder?.length ?? 0);
    if (folder === undefined && filePath(repository, address) !== undefined)
      throw new CatalogError(
        400,
        'BadRequestException',
        `${address} is an address in another repository; if this one is a copy of it, rewrite its tables: cli iceberg rewrite srv://${repository.id}/<branch>`,
      );
    if (folder === undefined || path === '' || path.endsWith('/') || path.split('/').some(part => part === '..' || part === '.'))
      throw new CatalogError(
        400,
        'BadRequestException',
        `${address} is not a file of a table of this repository, which begin with ${base}; copy the files of the table there first`,
      );
    return { namespace: namespaceOf(repository), identifier: folderPrefix + path, identifierType: identifierType.relative };
  }
}

function versionOf(address: string): number {
  const digits = /\/(\d{1,9})-[^/]*$/.exec(address)?.[1];
  return digits === undefined ? 0 : Number(digits);
}
