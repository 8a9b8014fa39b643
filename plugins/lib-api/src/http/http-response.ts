/** A response as data: both the framework and the direct routes know how to send it. */
import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { isReady, isReusing } from '@srv/lib-stores/bodies';
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stream is sent as it comes; its length is in the headers, or is not known. Absent: no body. */
  readonly body?: string | Buffer | Readable;
}

/** @param body bytes are JSON already. */
export function jsonResponse(status: number, body: object): HttpResponse & { readonly body: string | Buffer } {
  return { status, headers: { 'Content-Type': 'application/json' }, body: Buffer.isBuffer(body) ? body : `${JSON.stringify(body)}\n` };
}

/** Hands a response to the framework, which adds the headers that all responses have. */
export function respond(h: ResponseToolkit, { status, headers = {}, body }: HttpResponse): ResponseObject {
  const isNotModified = status === 304 && h.request.method === 'head';
  const response = (isNotModified ? withoutContent(h) : h.response(body)).code(status);
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  // Types are returned unchanged.
  if (headers['Content-Type'] !== undefined) response.charset('');
  return response;
}

/** Bytes of the longest body that is copied into the write of its headers; the copy costs less than a second piece. */
const joinedBytes = 8 << 10;

/**
 * Ends an answer whose headers are set with all of its body.
 * @param length of the body in bytes, where it is known.
 */
export function endWith(response: ServerResponse, body: string | Buffer, length = Buffer.byteLength(body)): void {
  const { socket } = response;
  const isText = typeof body === 'string';
  if (!socket || response.req.httpVersionMajor !== 1 || (!isText && length > joinedBytes)) {
    response.end(body);
    return;
  }
  // A text leaves in one piece with the headers, bytes in two. `end` alone adds an empty piece, which costs nearly as much.
  socket.cork();
  // Text of as many characters as bytes is ASCII, which leaves as it is.
  if (isText) response.write(body, body.length === length ? 'latin1' : 'utf8');
  else response.write(body.toString('latin1'), 'latin1');
  socket.uncork();
  response.end();
}

/** Whether the client no longer waits for the answer. */
export function isGone(response: ServerResponse | Http2ServerResponse): boolean {
  return 'stream' in response ? (response.stream?.destroyed ?? true) : response.destroyed;
}

/** Ends an answer that cannot be completed, so that the client does not take what it has for the whole. */
export function cutOff(response: ServerResponse | Http2ServerResponse): void {
  // A stream that is destroyed reports no error to the other end.
  if ('stream' in response) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/**
 * Makes the client of a finished answer stop sending its body. In HTTP/1.1 the end of the connection does; a
 * stream of HTTP/2 would take it to its end.
 */
export function stopUpload(response: ServerResponse | Http2ServerResponse): void {
  if (!('stream' in response)) return;
  response.stream?.close(constants.NGHTTP2_NO_ERROR);
  // The runtime keeps a closed stream, and with it the connection, until all that has arrived is read.
  response.req.unpipe().resume();
}

/**
 * Sends the bytes of `body` after headers that announce `length` of them. More, fewer or a failure cut the connection, so
 * that no client mistakes a part for the whole; when the connection is lost, `body` is destroyed.
 * @param length absent: the headers announce none.
 * @param broken called when `body` is why the answer is not complete.
 */
export function sendStream(
  response: ServerResponse,
  body: Readable,
  length: number | undefined,
  broken: (why: unknown) => void = () => undefined,
): void {
  if (isReady(body) && body.ready.length === length) {
    endWith(response, body.ready);
    body.destroy();
    return;
  }
  let sent = 0;
  // In version 2 of the protocol pieces of many answers wait for one another, and may be held for longer.
  const reusing = isReusing(body) && response.req?.httpVersionMajor === 1 ? body : undefined;
  const write = (piece: Buffer): boolean =>
    reusing ? response.write(piece, error => void (error ?? reusing.takeBack(piece))) : response.write(piece);
  let isCut = false;
  const cut = (why: unknown): void => {
    // The first reason is the cause of the others.
    if (!isCut && !isGone(response)) broken(why);
    isCut = true;
    cutOff(response);
  };
  const miscounted = (): void =>
    cut(new Error(`the body has ${sent > (length ?? sent) ? 'more' : String(sent)} bytes, ${length ?? 'more'} were announced`));
  const take = (piece: Buffer): void => {
    sent += piece.length;
    if (length !== undefined && sent > length) miscounted();
    // With its last bytes an answer needs one write of the system for both.
    else if (sent === length) response.end(piece, reusing && (() => reusing.takeBack(piece)));
    else if (!write(piece)) body.pause();
  };
  if (body.destroyed && !body.readableEnded) {
    cut(body.errored ?? new Error('the body is gone'));
    return;
  }
  // By hand: a pipeline makes and aborts a signal for every answer, which costs small objects a lot.
  body.once('error', cut);
  const ready = body.read() as Buffer | null;
  if (ready) take(ready);
  if (response.writableEnded) {
    // There is nothing more to come, and the stream gets to its end.
    body.resume();
    return;
  }
  body.on('data', take);
  response.on('drain', () => body.resume());
  body.once('end', () => {
    if (length !== undefined && sent !== length) miscounted();
    else if (!response.writableEnded) response.end();
  });
  body.once('close', () => {
    if (!response.writableEnded) miscounted();
  });
  response.once('close', () => body.destroy());
}

/** Of a body of its own kinds the framework would announce the length, or a type that is not that of the content. */
function withoutContent(h: ResponseToolkit): ResponseObject {
  return h.request.generateResponse(null, {
    variety: 'without content',
    marshal: () => Promise.resolve(Readable.from([], { objectMode: false })),
  });
}
