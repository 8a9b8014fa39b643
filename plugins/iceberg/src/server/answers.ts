/** Answers of the catalog. */
import { createHash } from 'node:crypto';
import { exactBytes, plainText } from './exact-json.js';
import { toWrite } from './metadata/model.js';
import { onTable } from './rights.js';
import { isInStore } from './storage/table-files.js';
import type { HttpResponse } from '@srv/http/contract';
import type { TemporaryKey } from './credentials.js';
import type { UserCall } from './endpoint.js';
import type { JsonObject } from './exact-json.js';
import type { TableMetadata } from './metadata/model.js';
import type { TablePlace } from './names.js';
import type { LoadedTable } from './tables.js';

export async function json(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
  // A text: answers are remembered for requests with an Idempotency-Key.
  const text = (await exactBytes(body)).toString('utf8');
  return { status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body: text };
}

export const empty: HttpResponse = { status: 204 };

/** Clients need one to sign with; the gateway takes any. */
const region = 'us-east-1';

type Snapshots = 'all' | 'refs';

/** A table as clients load it, with credentials for its files. */
export async function tableAnswer(
  call: UserCall,
  place: TablePlace,
  table: LoadedTable,
  { snapshots = 'all', isReadOnly = false }: { readonly snapshots?: Snapshots; readonly isReadOnly?: boolean } = {},
): Promise<HttpResponse> {
  const { location, metadata } = table;
  const access = await accessTo(call, place, { location: metadata.location, isReadOnly });
  const body = {
    ...(location === undefined ? {} : { 'metadata-location': location }),
    metadata: shown(metadata, snapshots),
    config: access,
    'storage-credentials': credentialsFor(metadata.location, access),
  };
  return json(body, location === undefined ? {} : { ETag: etagOf(location, snapshots) });
}

/** Clients refuse credentials without content. */
export function credentialsFor(prefix: string, config: Readonly<Record<string, string>>): readonly object[] {
  return Object.keys(config).length === 0 ? [] : [{ prefix, config }];
}

/** The answer to a commit has no credentials. */
export function committedAnswer({ location, metadata }: LoadedTable): Promise<HttpResponse> {
  return json(
    { 'metadata-location': location, metadata: shown(metadata, 'all') },
    location === undefined ? {} : { ETag: etagOf(location, 'all') },
  );
}

export function etagOf(location: string, snapshots: Snapshots): string {
  return `"${createHash('sha256').update(`${snapshots} ${location}`).digest('hex').slice(0, 32)}"`;
}

function shown(metadata: TableMetadata, snapshots: Snapshots): JsonObject {
  if (snapshots === 'all') return toWrite(metadata);
  const named = new Set(Object.values(metadata.refs).map(ref => plainText(ref['snapshot-id'])));
  return toWrite({ ...metadata, snapshots: metadata.snapshots.filter(snapshot => named.has(plainText(snapshot['snapshot-id']))) });
}

/** Files of a table. */
interface GrantedFiles {
  readonly location: string;
  /** They are not to be changed. */
  readonly isReadOnly?: boolean;
}

/**
 * Where the files of a table are, and with which key: one of the gateway, or of the store where the table has addresses there,
 * that reads, and writes for those who may change the table.
 */
export async function accessTo(call: UserCall, place: TablePlace, files: GrantedFiles): Promise<Record<string, string>> {
  const { origin, headers } = call;
  const repository = await call.engine.getRepository(place.repository);
  if (isInStore(repository, files.location)) {
    const mayWrite = !files.isReadOnly && (await call.face.may(onTable('UpdateTable', place)));
    return call.storeAccess.to(repository, files.location, { mayWrite, durationMs: call.tokenDuration });
  }
  const access = {
    's3.endpoint': origin,
    's3.path-style-access': 'true',
    's3.region': region,
    'client.region': region,
    's3.signer.uri': `${origin}/iceberg/api`,
    's3.signer.endpoint': signerPath(place),
  };
  if (!files.isReadOnly && wantsSigning(headers['x-iceberg-access-delegation']))
    return { ...access, 's3.remote-signing-enabled': 'true', 's3.signer': 'S3V4RestSigner' };
  const key = await keyFor(call, place, files);
  if (!key) return access;
  return {
    ...access,
    's3.access-key-id': key.accessKeyId,
    's3.secret-access-key': key.secretAccessKey,
    's3.session-token': key.sessionToken,
    's3.session-token-expires-at-ms': String(key.expiresAt),
  };
}

/** Clients that do not ask for keys. */
function wantsSigning(asked: string | string[] | undefined): boolean {
  const ways = String(asked ?? '')
    .split(',')
    .map(way => way.trim());
  return ways.includes('remote-signing') && !ways.includes('vended-credentials');
}

/** Below the unscoped address. */
function signerPath({ repository, ref, namespace, table }: TablePlace): string {
  const name = encodeURIComponent([repository, ref, ...namespace].join('\u001f'));
  return `v1/srv/namespaces/${name}/tables/${encodeURIComponent(table)}/sign`;
}

/** `undefined` for a caller without a token of the catalog. */
export async function keyFor(call: UserCall, place: TablePlace, { location, isReadOnly }: GrantedFiles): Promise<TemporaryKey | undefined> {
  const token = tokenOf(call);
  if (token === undefined) return undefined;
  const mayWrite = !isReadOnly && (await call.face.may(onTable('UpdateTable', place)));
  return call.keys.issue({ repository: place.repository, location, mayWrite }, token.token, token.expiresAt);
}

/** The token of the catalog that the caller presents; callers with other credentials use them for the gateway, too. */
function tokenOf({ headers, tokenDuration }: UserCall): { readonly token: string; readonly expiresAt: number } | undefined {
  const { authorization } = headers;
  const [scheme, token] = typeof authorization === 'string' ? authorization.trim().split(/\s+/) : [];
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined) return undefined;
  return { token, expiresAt: Math.min(Date.now() + tokenDuration, endOf(token)) };
}

/** Milliseconds since 1970 at which a token that has been verified ends, as far as it says so: a JSON web token. */
function endOf(token: string): number {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { readonly exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
