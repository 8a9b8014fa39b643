/** Rows of the S3 gateway. */
import { connect } from 'node:net';
import { applyLoad } from '../api-load.js';
import { timeOf } from '../benchmark.js';
import { signedHead, signedRequest } from '../gateway-request.js';
import { underLoad } from './load.js';
import type { Side } from './side.js';
import type { Scale, Work } from './work.js';

const kibibyte = 2 ** 10;
const mebibyte = 2 ** 20;
/** Objects of one size that requests take turns with. */
const keys = 64;
const part = 8 * mebibyte;
/** Parts on their way at a time. */
const parallel = 4;

export function gateway(scale: Scale): readonly Work[] {
  let made = 0;
  const row = (what: string, connections: number, requests: (side: Side) => () => Buffer): Work =>
    underLoad({ what: `gateway ${what}`, connections, requests }, scale);
  const existing = (method: string, bytes: number, connections: number, what: string): Work => {
    const body = method === 'PUT' ? Buffer.alloc(bytes, 'some content') : undefined;
    return row(what, connections, side => {
      const requests = Array.from({ length: keys }, (_, i) =>
        signedRequest(side.port, method, `/bench/objects/object-${bytes}-${i}`, body),
      );
      return () => requests[made++ % keys] ?? Buffer.alloc(0);
    });
  };
  const small = Buffer.alloc(4 * kibibyte, 'some content');
  return [
    row('PUT 4 KiB, new', 32, side => () => signedRequest(side.port, 'PUT', `/bench/objects/new-${made++}`, small)),
    existing('PUT', 4 * kibibyte, 32, 'PUT 4 KiB, over existing ones'),
    existing('GET', 4 * kibibyte, 32, 'GET 4 KiB'),
    existing('PUT', mebibyte, 8, 'PUT 1 MiB'),
    existing('GET', mebibyte, 8, 'GET 1 MiB'),
    {
      what: `gateway multipart upload of ${scale.large / mebibyte} MiB`,
      unit: 'MiB/s',
      rounds: scale.rounds,
      measure: async (side, round) =>
        scale.large / mebibyte / ((await timeOf(() => uploadInParts(side, `/bench/objects/large-${round}`, scale.large))) / 1000),
    },
    {
      what: `gateway download of ${scale.large / mebibyte} MiB`,
      unit: 'MiB/s',
      rounds: scale.rounds,
      measure: async (side, round) =>
        scale.large / mebibyte / ((await timeOf(() => download(side, `/bench/objects/large-${round}`))) / 1000),
    },
  ];
}

/** Every object that the rows read or write over. */
export async function prepareGateway(side: Side): Promise<void> {
  for (const bytes of [4 * kibibyte, mebibyte]) {
    const body = Buffer.alloc(bytes, 'some content');
    for (let i = 0; i < keys; i++) await send(side.port, signedRequest(side.port, 'PUT', `/bench/objects/object-${bytes}-${i}`, body));
  }
}

async function uploadInParts(side: Side, path: string, size: number): Promise<void> {
  const started = await send(side.port, signedRequest(side.port, 'POST', `${path}?uploads=`));
  const id = /<UploadId>([^<]+)</.exec(started)?.[1] ?? '';
  const body = Buffer.alloc(part, 'some content');
  const count = Math.ceil(size / part);
  const etags: string[] = [];
  let next = 1;
  const sendParts = async (): Promise<void> => {
    for (let number = next++; number <= count; number = next++) {
      const bytes = body.subarray(0, Math.min(part, size - (number - 1) * part));
      const head = signedHead(side.port, 'PUT', `${path}?partNumber=${number}&uploadId=${id}`, bytes.length);
      etags[number - 1] = /\r\netag: ("[^"]+")/i.exec(await send(side.port, head, bytes))?.[1] ?? '';
    }
  };
  await Promise.all(Array.from({ length: parallel }, sendParts));
  const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('');
  const document = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`);
  const answer = await send(side.port, signedRequest(side.port, 'POST', `${path}?uploadId=${id}`, document));
  if (!answer.includes('CompleteMultipartUploadResult')) throw new Error(`${side.name}: ${answer}`);
}

async function download(side: Side, path: string): Promise<void> {
  await applyLoad({ port: side.port, request: () => signedRequest(side.port, 'GET', path), connections: 1, duration: 0 });
}

/** One request on a connection of its own. @returns the answer, head and body. @throws Error for an answer that is not a success. */
async function send(port: number, ...pieces: readonly Buffer[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  for (const piece of pieces) socket.write(piece);
  let answer = '';
  for await (const piece of socket as AsyncIterable<Buffer>) {
    answer += piece.toString('latin1');
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
    if (length === undefined ? answer.endsWith('0\r\n\r\n') : answer.length >= end + 4 + Number(length)) break;
  }
  if (!answer.startsWith('HTTP/1.1 2')) throw new Error(`unexpected answer: ${answer.slice(0, 500)}`);
  return answer;
}
