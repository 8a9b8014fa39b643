/**
 * Large files by Xet: clients send chunks in xorbs, then the shard that says which file they make. The file is put together at
 * once and waits for its commit like one that came by LFS; nothing else reads chunks, and no session sees those of another.
 */
import { randomBytes } from 'node:crypto';
import { jsonResponse, readBody, wholeBody } from '@srv/lib-api/http';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { base } from '../address.js';
import { ContentStore } from '../commit/content.js';
import { HubError } from '../errors.js';
import { xetPrefix } from '../namespace.js';
import { demandProposal, isProposal } from '../proposals.js';
import { findRepo } from '../revision.js';
import { targetOf } from '../routes/target.js';
import { findTarget } from '../upload-right.js';
import { readShard } from './shard.js';
import { readGrant, signGrant } from './token.js';
import { ChunkIndex, readChunks } from './xorb.js';
import type { Repository } from '@srv/engine/contract';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { HubParts, RepoRoute } from '../context.js';
import type { Uploads } from '../lfs/record.js';
import type { Xorbs } from './record.js';
import type { Segment, ShardFile } from './shard.js';
import type { XetGrant } from './token.js';

/** Milliseconds in which chunks may be sent. */
const grantLifetime = 6 * 3_600_000;
/** Bytes: clients fill xorbs to 64 MiB. */
const largestXorb = 80 << 20;
/** Bytes: 100,000 parts of files. */
const largestShard = 16 << 20;

/** Where chunks go, and the right to send them. */
export const writeToken: RepoRoute = async context => {
  const { engine, face, repo, origin, request, services } = context;
  // For a pull request clients name the branch None.
  const { id, instanceUid: instance } = isProposal(context)
    ? await demandProposal(context).then(() => findRepo(engine, repo))
    : (await targetOf(context)).repository;
  const given = request.headers['x-xet-session-id'];
  const session = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomBytes(16).toString('hex');
  const expires = Date.now() + grantLifetime;
  const grant = { repository: id, instance, user: face.user.username, session, expires };
  const [accessToken, casUrl] = [signGrant(grant, services.get('api').signingKey), `${origin}${base}/${xetPrefix}/${session}`];
  const exp = Math.floor(expires / 1000);
  const answer = jsonResponse(200, { accessToken, exp, casUrl });
  const headers = { 'X-Xet-Access-Token': accessToken, 'X-Xet-Token-Expiration': String(exp), 'X-Xet-Cas-Url': casUrl };
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

interface Sink {
  readonly parts: HubParts;
  readonly uploads: Uploads;
  readonly xorbs: Xorbs;
}

interface Sending extends Sink {
  readonly exchange: RawExchange;
  readonly repository: Repository;
  readonly grant: XetGrant;
  readonly signal: AbortSignal;
}

/** @param path decoded segments after {@link xetPrefix}. */
export async function receiveXet(sink: Sink, exchange: RawExchange, path: readonly string[]): Promise<HttpResponse> {
  const { request, response } = exchange;
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const grant = readGrant(token, sink.parts.services.get('api').signingKey);
  const [session, ...place] = path;
  if (!grant || grant.session !== session) throw new HubError(401, 'the token of the upload is not valid, or has expired');
  exchange.user = grant.user;
  const what = `${request.method} ${place.join('/')}`;
  exchange.name(`huggingface ${request.method} xet ${place[1] ?? ''}`.trim());
  const repository = await findTarget(sink.parts, grant);
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const sending = { ...sink, exchange, repository, grant, signal: abort.signal };
  const hash = /^POST v1\/xorbs\/[\w-]{1,64}\/([0-9a-f]{64})$/.exec(what)?.[1];
  if (hash !== undefined) return receiveXorb(sending, hash);
  if (what === 'POST v1/shards') return receiveShard(sending);
  // Clients fall back to what is offered, and send chunks that other files may have.
  throw new HubError(404, 'not offered');
}

function acceptBody({ request, response }: RawExchange, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new HubError(413, `the body has more than ${limit} bytes`);
  if (request.headers.expect !== undefined) response.writeContinue();
}

function contentsOf({ parts: { engine, block, log }, repository, signal }: Sending): ContentStore {
  return new ContentStore({ engine, block, log, repository, signal });
}

async function receiveXorb(sending: Sending, hash: string): Promise<HttpResponse> {
  const { exchange, repository, grant, xorbs } = sending;
  acceptBody(exchange, largestXorb);
  const contents = contentsOf(sending);
  const { address, offsets } = await contents.store(async writer => {
    const index = new ChunkIndex();
    let size = 0;
    for await (const piece of wholeBody(exchange.request)) {
      const bytes = piece as Buffer;
      size += bytes.length;
      if (size > largestXorb) throw new HubError(413, `the xorb has more than ${largestXorb} bytes`);
      index.take(bytes);
      await writer.write(bytes);
    }
    const offsets = index.end();
    return { address: (await writer.end()).address, offsets };
  });
  const { user, session } = grant;
  const isNew = await xorbs.add({ repository, user, session, hash }, { address, offsets });
  if (!isNew) await contents.removeAllBut(new Set());
  return jsonResponse(200, { was_inserted: isNew });
}

async function receiveShard(sending: Sending): Promise<HttpResponse> {
  const { exchange, uploads, repository, grant } = sending;
  acceptBody(exchange, largestShard);
  const body = await readBody(exchange.request, {
    limit: largestShard,
    tooLarge: () => new HubError(413, `the shard has more than ${largestShard} bytes: upload fewer files at a time`),
    tooSlow: () => new HubError(408, 'the body did not arrive within a minute'),
  });
  for (const file of readShard(body)) {
    const known = await uploads.find({ repository, user: grant.user, oid: file.sha256 });
    if (!known) await build(sending, file);
  }
  return jsonResponse(200, { result: 1 });
}

/** Puts a file together from its chunks. */
async function build(sending: Sending, { sha256, segments }: ShardFile): Promise<void> {
  const { uploads, repository, grant } = sending;
  const stored = await contentsOf(sending).store(async writer => {
    for (const segment of segments) {
      let bytes = 0;
      for await (const chunk of readChunks(await open(sending, segment))) {
        bytes += chunk.length;
        await writer.write(chunk);
      }
      if (bytes !== segment.bytes) throw new HubError(400, `a part of ${sha256} has ${bytes} bytes, ${segment.bytes} were announced`);
    }
    const content = await writer.end();
    if (content.sha256 !== sha256) throw new HubError(400, `the chunks make a file with the SHA-256 ${content.sha256}, not ${sha256}`);
    return content;
  });
  await uploads.add({ repository, user: grant.user, oid: sha256 }, { address: stored.address, size: stored.size, etag: stored.etag });
}

async function open({ parts: { block }, xorbs, repository, grant, signal }: Sending, { xorb: hash, first, end }: Segment) {
  const { user, session } = grant;
  const xorb = await xorbs.find({ repository, user, session, hash });
  const [start, stop] = [xorb?.offsets[first], xorb?.offsets[end]];
  if (!xorb || start === undefined || stop === undefined)
    throw new HubError(400, `chunks ${first} to ${end} of the xorb ${hash} were not sent in this session: upload the file again`);
  const pointer = { namespace: namespaceOf(repository), identifier: xorb.address, identifierType: identifierType.relative };
  return block.get(pointer, { range: { start, end: stop - 1 }, signal });
}
