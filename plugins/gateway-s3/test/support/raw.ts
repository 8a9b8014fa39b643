/** Requests of any shape, signed by hand or not at all. */
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { percentEncode } from '../../src/server/protocol/percent.js';
import { accessKeyId, secretAccessKey } from './server.js';

export interface RawRequest {
  readonly method?: string;
  /** With query, as it goes over the wire. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
  /** Default: the empty-body hash, or `UNSIGNED-PAYLOAD` with a body. */
  readonly payloadHash?: string;
  /** False: sent as it is. */
  readonly signed?: boolean;
  /** Name under which the host is signed. Default: `host`. */
  readonly hostName?: string;
  /** Only send this many bytes of the body, then close. */
  readonly cutAt?: number;
}

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `Code` of an error. */
  readonly code: string;
  /** Whether 100 came first. */
  readonly continued: boolean;
}

/** Milliseconds a server may take for its answer on a busy machine. */
const answerLimit = 60_000;

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

interface Signed {
  readonly date: string;
  readonly scope: string;
  readonly key: Buffer;
  readonly signature: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of a version 4 signature; also the parts a chunk signature continues. */
export function sign(
  { method = 'GET', url, headers = {}, body, payloadHash, hostName = 'host' }: RawRequest,
  host: string,
  now = new Date(),
  secret = secretAccessKey,
): Signed {
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const [path, query = ''] = url.split(/\?(.*)/s);
  const hash = payloadHash ?? (body === undefined ? createHash('sha256').digest('hex') : 'UNSIGNED-PAYLOAD');
  const all: Record<string, string> = {
    ...Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toLowerCase(), v])),
    [hostName]: host,
    'x-amz-date': date,
    'x-amz-content-sha256': hash,
  };
  const names = Object.keys(all)
    .filter(n => n !== 'content-length' && n !== 'transfer-encoding' && n !== 'expect')
    .sort();
  const canonicalQuery = query
    .split('&')
    .filter(p => p !== '')
    .map(p => p.split(/=(.*)/s).slice(0, 2).map(decode))
    .map(([n = '', v = '']) => `${percentEncode(n)}=${percentEncode(v)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    path,
    canonicalQuery,
    ...names.map(n => `${n}:${(all[n] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    hash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical, 'latin1').digest('hex')].join('\n');
  const key = ['us-east-1', 's3', 'aws4_request'].reduce<Buffer>((k, part) => hmac(k, part), hmac(`AWS4${secret}`, date.slice(0, 8)));
  const signature = hmac(key, toSign).toString('hex');
  return {
    date,
    scope,
    key,
    signature,
    headers: {
      ...all,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
    },
  };
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

interface ChunkedContent {
  readonly chunks: readonly (string | Buffer)[];
  readonly signed: boolean;
  readonly trailer?: { readonly name: string; readonly value: string } | undefined;
}

/** A body in chunks that continue the signature of its request, as the Java SDK sends it; or in chunks without signatures. */
export function chunkedBody(request: Signed, { chunks, signed, trailer }: ChunkedContent): Buffer {
  const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
  let previous = request.signature;
  const chain = (kind: string, ...hashes: string[]): string =>
    hmac(request.key, [`AWS4-HMAC-SHA256-${kind}`, request.date, request.scope, previous, ...hashes].join('\n')).toString('hex');
  const pieces: (string | Buffer)[] = [];
  for (const chunk of [...chunks, '']) {
    previous = chain('PAYLOAD', hash(''), hash(chunk));
    pieces.push(Buffer.byteLength(chunk).toString(16), signed ? `;chunk-signature=${previous}` : '', '\r\n', chunk);
    if (chunk.length > 0 || !trailer) pieces.push('\r\n');
  }
  if (trailer) {
    const line = `${trailer.name}:${trailer.value}`;
    pieces.push(line, '\r\n', signed ? `x-amz-trailer-signature:${chain('TRAILER', hash(`${line}\n`))}\r\n` : '', '\r\n');
  }
  return Buffer.concat(pieces.map(piece => Buffer.from(piece)));
}

/** Request line and headers as they go over the wire. */
export function headOf(request: RawRequest, defaultHost: string): Buffer {
  const { method = 'GET', url, body, signed = true } = request;
  const host = request.headers?.host ?? defaultHost;
  const headers: Record<string, string> = signed ? sign(request, host).headers : { host, ...request.headers };
  const framed = Object.keys(headers).some(n => /^(content-length|transfer-encoding)$/i.test(n));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (!framed && body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`, 'latin1');
}

/** Sends one request over a connection of its own. */
export function send(port: number, request: RawRequest, limit = answerLimit): Promise<RawAnswer> {
  const { method = 'GET', url, body, cutAt } = request;
  const bytes = Buffer.from(body ?? '');
  const head = headOf(request, `127.0.0.1:${port}`);
  const waits = request.headers !== undefined && 'expect' in request.headers;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    let continued = false;
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${limit} ms to ${method} ${url}`));
    }, limit);
    const sendBody = (): void => {
      if (cutAt === undefined) socket.write(bytes);
      else socket.end(bytes.subarray(0, cutAt));
    };
    socket.on('connect', () => {
      socket.write(head);
      if (!waits && bytes.length > 0) sendBody();
    });
    socket.on('data', piece => {
      received = Buffer.concat([received, piece]);
      if (!continued && received.toString('latin1').startsWith('HTTP/1.1 100')) {
        continued = true;
        received = received.subarray(received.indexOf('\r\n\r\n') + 4);
        sendBody();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ ...parse(received), continued });
    });
  });
}

/**
 * Sends bytes as they are and reads the first answer.
 * @param timeoutMs milliseconds after which the client leaves; absent: it waits for the answer.
 * @throws Error when the server does neither answer nor close.
 */
export function exchange(port: number, bytes: Buffer, timeoutMs?: number, limit = answerLimit): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const timers = [setTimeout(() => fail(`neither answer nor end within ${limit} ms`), limit)];
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(why));
    };
    if (timeoutMs !== undefined) timers.push(setTimeout(() => socket.end(), timeoutMs));
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', piece => {
      received = Buffer.concat([received, piece]);
      while (/^HTTP\/1\.1 1\d\d/.test(received.toString('latin1', 0, 20)) && received.includes('\r\n\r\n'))
        received = received.subarray(received.indexOf('\r\n\r\n') + 4);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ ...parse(received), continued: false });
    });
  });
}

function parse(received: Buffer): Omit<RawAnswer, 'continued'> {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = Object.fromEntries(lines.map(l => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 1).trim()]));
  const body = end < 0 ? '' : received.subarray(end + 4).toString('utf8');
  return { status: Number(first.split(' ')[1] ?? 0), headers, body, code: /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? '' };
}
