/** The bytes of large files by LFS. The URL of a request says who sends what. */
import { jsonResponse, quoteEtag, wholeBody } from '@srv/lib-api/http';
import { isRecord, readJsonBody } from '../body.js';
import { ContentStore } from '../commit/content.js';
import { HubError } from '../errors.js';
import { findTarget } from '../upload-right.js';
import { isAnnounced, otherContent } from './announced.js';
import { bytesOfPart, partCountOf } from './part-sizes.js';
import { verified } from './signed-url.js';
import type { Repository } from '@srv/engine/contract';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { UploadedPart } from '@srv/lib-stores/block';
import type { HubParts } from '../context.js';
import type { PartialFiles } from './partial-files.js';
import type { Uploads } from './record.js';
import type { SignedUpload } from './signed-url.js';

interface Sink {
  readonly parts: HubParts;
  readonly uploads: Uploads;
  readonly partialFiles: PartialFiles;
}

interface Receiving extends Sink {
  readonly exchange: RawExchange;
  readonly repository: Repository;
  readonly upload: SignedUpload;
  readonly signal: AbortSignal;
}

/** @param path decoded segments of the URL. @throws HubError, SrvError. */
export async function receive(sink: Sink, exchange: RawExchange, path: readonly string[]): Promise<HttpResponse> {
  const upload = verified(path, sink.parts.services.get('api').signingKey);
  if (!upload || upload.expires < Date.now())
    throw new HubError(403, 'the URL of the upload is not valid, or has expired: ask for another one');
  exchange.user = upload.user;
  const { request, response } = exchange;
  const repository = await findTarget(sink.parts, upload);
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const receiving = { ...sink, exchange, repository, upload, signal: abort.signal };
  const { part } = upload;
  const method = part?.number === 0 ? 'POST' : 'PUT';
  exchange.name(`huggingface ${method} lfs`);
  if (request.method !== method) throw new HubError(405, `${request.method} is not what this URL is for; send ${method}`);
  if (part === undefined) return receiveWhole(receiving);
  return part.number === 0 ? joinParts(receiving) : receivePart(receiving, part);
}

/** @throws HubError 400 for a body of another announced length. */
function acceptBody({ request, response }: RawExchange, size: number): void {
  const announced = request.headers['content-length'];
  if (announced !== undefined && Number(announced) !== size)
    throw new HubError(400, `the body has ${announced} bytes, ${size} were announced`);
  if (request.headers.expect !== undefined) response.writeContinue();
}

async function receiveWhole({ parts, uploads, exchange, repository, upload, signal }: Receiving): Promise<HttpResponse> {
  const { oid, size, user } = upload;
  acceptBody(exchange, size);
  const contents = new ContentStore({ ...parts, repository, signal });
  const stored = await contents.store(async writer => {
    for await (const piece of wholeBody(exchange.request)) await writer.write(piece as Buffer);
    const content = await writer.end();
    if (!isAnnounced(upload, content)) throw otherContent(upload, content);
    return content;
  });
  await uploads.add({ repository, user, oid }, { address: stored.address, size, etag: stored.etag });
  return { status: 200, headers: { ETag: quoteEtag(oid) } };
}

async function receivePart(
  { partialFiles, exchange, repository, upload, signal }: Receiving,
  { address, number }: { readonly address: string; readonly number: number },
): Promise<HttpResponse> {
  const size = bytesOfPart(upload.size, number);
  acceptBody(exchange, size);
  const etag = await partialFiles.put(repository, address, { number, body: () => wholeBody(exchange.request), size, signal });
  return { status: 200, headers: { ETag: quoteEtag(etag) } };
}

async function joinParts({ uploads, partialFiles, exchange, repository, upload }: Receiving): Promise<HttpResponse> {
  const { oid, size, user, part } = upload;
  const parts = partsIn(await readJsonBody(exchange), partCountOf(size));
  const address = part?.address ?? '';
  const etag = await partialFiles.complete(repository, { oid, size, address, parts });
  const key = { repository, user, oid };
  // The answer to an earlier request may have been lost.
  if (!(await uploads.find(key))) await uploads.add(key, { address, size, etag });
  return jsonResponse(200, {});
}

/** @throws HubError 400. */
function partsIn({ parts }: Readonly<Record<string, unknown>>, count: number): readonly UploadedPart[] {
  if (!Array.isArray(parts) || parts.length !== count) throw new HubError(400, `parts is not a list of ${count}`);
  return parts.map((part: unknown, i) => {
    const { partNumber, etag } = isRecord(part) ? part : {};
    if (partNumber !== i + 1 || typeof etag !== 'string') throw new HubError(400, `part ${i + 1} is missing, or has no etag`);
    return { partNumber, etag: etag.replace(/^"/, '').replace(/"$/, '') };
  });
}
