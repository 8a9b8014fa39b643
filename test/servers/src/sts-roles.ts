/**
 * A stand-in for AWS STS that lets the holder of a key assume roles, and a gate before an S3 server that holds sessions to their
 * policies, as AWS does.
 */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import { ScriptedHttp, passOn } from './scripted-http.js';
import { Sha256 } from './sts.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: { readonly StringLike: Readonly<Record<string, readonly string[]>> };
}

export interface SessionPolicy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

interface Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface RoleServer {
  /** Of the token service. */
  readonly stsUrl: string;
  /** Of the store, for holders of sessions. */
  readonly gateUrl: string;
  /** Parameters of the requests that were granted, in order. */
  readonly assumed: readonly Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

interface Session extends Key {
  readonly sessionToken: string;
  readonly policy: SessionPolicy;
}

/** @param store with the key that its server knows: the only one that may assume the role. */
export async function startRoles(store: Key & { readonly url: string }): Promise<RoleServer> {
  const assumed: Record<string, string>[] = [];
  const sessions = new Map<string, Session>();
  const sts = await ScriptedHttp.open((request, response) => {
    void granted(request, store).then(parameters => {
      if (!parameters) return response.writeHead(403, { 'content-type': 'text/xml' }).end(denied('SignatureDoesNotMatch'));
      const [id, secretAccessKey, sessionToken] = [randomUUID(), randomUUID(), randomUUID()];
      const policy = JSON.parse(parameters['Policy'] ?? '') as SessionPolicy;
      const opened = { accessKeyId: `ASIA${id.slice(0, 8)}`, secretAccessKey, sessionToken, policy };
      sessions.set(sessionToken, opened);
      assumed.push(parameters);
      const until = new Date(Date.now() + Number(parameters['DurationSeconds']) * 1000).toISOString();
      return response.writeHead(200, { 'content-type': 'text/xml' }).end(session(opened, until));
    });
  });
  const gate = await ScriptedHttp.open((request, response) => {
    void pass(request, response, { store, sessions });
  });
  const close = async (): Promise<void> => {
    await sts.close();
    await gate.close();
  };
  return { stsUrl: sts.url, gateUrl: gate.url, assumed, close };
}

const session = ({ accessKeyId, secretAccessKey, sessionToken }: Session, until: string): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId>` +
  `<SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${until}</Expiration></Credentials>` +
  '<AssumedRoleUser><AssumedRoleId>ARO:srv</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/tables/srv</Arn></AssumedRoleUser>' +
  '</AssumeRoleResult></AssumeRoleResponse>';

const denied = (code: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;

/** Parameters of a request to assume a role that the key signed; `undefined` for any other. */
async function granted(request: IncomingMessage, key: Key): Promise<Record<string, string> | undefined> {
  const body = await text(request);
  const parameters = Object.fromEntries(new URLSearchParams(body));
  return parameters['Action'] === 'AssumeRole' && (await isSignedBy(request, key, 'sts', body)) ? parameters : undefined;
}

interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly names: readonly string[];
  readonly signature: string;
}

function signatureOf({ headers }: IncomingMessage): Signature {
  const [, credential = '', names = '', signature = ''] =
    /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)/.exec(headers.authorization ?? '') ?? [];
  const [accessKeyId = '', , region = ''] = credential.split('/');
  return { accessKeyId, region, names: names.split(';'), signature };
}

/** The header of a request that is signed with a key. @param names of the headers that count. */
async function authorization(
  request: IncomingMessage,
  key: Key,
  { service, names, body }: { service: string; names: readonly string[]; body?: string },
) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
  const headers = Object.fromEntries(names.map(name => [name, String(request.headers[name] ?? '')]));
  const query = Object.fromEntries([...new Set(searchParams.keys())].map(name => [name, searchParams.getAll(name)]));
  const date = String(request.headers['x-amz-date']).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const { region } = signatureOf(request);
  const signer = new SignatureV4({
    credentials: key,
    region,
    service,
    sha256: Sha256,
    uriEscapePath: service !== 's3',
    applyChecksum: false,
  });
  const unsigned = { method: request.method ?? '', protocol: 'http:', hostname: headers['host'] ?? '', path: pathname, query, headers };
  const signed = await signer.sign(
    { ...unsigned, ...(body === undefined ? {} : { body }) },
    { signingDate: new Date(date), signableHeaders: new Set(names) },
  );
  return signed.headers['authorization'] ?? '';
}

async function isSignedBy(request: IncomingMessage, key: Key, service: string, body?: string): Promise<boolean> {
  const { accessKeyId, names, signature } = signatureOf(request);
  if (accessKeyId !== key.accessKeyId) return false;
  return (await authorization(request, key, { service, names, ...(body === undefined ? {} : { body }) })).endsWith(signature);
}

interface Gate {
  readonly store: Key & { readonly url: string };
  readonly sessions: ReadonlyMap<string, Session>;
}

/** Requests of sessions that their policies allow reach the store, signed with its own key. */
async function pass(request: IncomingMessage, response: ServerResponse, { store, sessions }: Gate): Promise<void> {
  const found = sessions.get(String(request.headers['x-amz-security-token'] ?? ''));
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  const asked = {
    action: actionOf(request.method ?? '', key, searchParams),
    resource: `arn:aws:s3:::${bucket}${key === '' ? '' : `/${key}`}`,
    prefix: searchParams.get('prefix') ?? '',
  };
  const isSigned = found !== undefined && (await isSignedBy(request, found, 's3'));
  if (isSigned && allows(found.policy, asked)) {
    const names = signatureOf(request).names.filter(name => name !== 'x-amz-security-token');
    delete request.headers['x-amz-security-token'];
    request.headers.authorization = await authorization(request, store, { service: 's3', names });
    return passOn(store.url, request, response);
  }
  const why = isSigned ? `${asked.action} on ${asked.resource} with prefix ${asked.prefix}` : 'the signature is not that of a session';
  request.resume();
  response.writeHead(403, { 'content-type': 'application/xml' }).end(`<Error><Code>AccessDenied</Code><Message>${why}</Message></Error>`);
}

function actionOf(method: string, key: string, query: URLSearchParams): string {
  if (key === '') return query.has('location') ? 's3:GetBucketLocation' : method === 'POST' ? 's3:DeleteObject' : 's3:ListBucket';
  if (method === 'GET' || method === 'HEAD') return query.has('uploadId') ? 's3:ListMultipartUploadParts' : 's3:GetObject';
  if (method === 'DELETE') return query.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject';
  return 's3:PutObject';
}

/** As the service decides; only what the policies of tests have. */
export function allows(
  { Statement }: SessionPolicy,
  asked: { readonly action: string; readonly resource: string; readonly prefix?: string },
): boolean {
  return Statement.some(
    ({ Effect, Action, Resource, Condition }) =>
      Effect === 'Allow' &&
      Action.includes(asked.action) &&
      Resource.some(pattern => isLike(asked.resource, pattern)) &&
      (Condition === undefined || (Condition.StringLike['s3:prefix'] ?? []).some(pattern => isLike(asked.prefix ?? '', pattern))),
  );
}

/** `*` and `?` stand for texts and characters, `${*}`, `${?}` and `${$}` for themselves. */
function isLike(value: string, pattern: string): boolean {
  const parts = pattern.split(/(\$\{[*?$]\}|\*|\?)/);
  const source = parts.map(part =>
    part === '*' ? '.*' : part === '?' ? '.' : part.replace(/^\$\{(.)\}$/, '$1').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`, 's').test(value);
}
