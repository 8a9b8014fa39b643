/** Small bodies are read before they are stored: as streams they would cost many times what they are worth. */
import { SrvError } from '@srv/kernel';
import type { Readable } from 'node:stream';

/** Bytes; no more than a connection buffers anyway. */
const smallBytes = 64 << 10;

/** The body as one piece when it is announced to be small. @throws SrvError `cancelled` when it ends early, `invalid` when it is longer than announced. */
export async function readSmall(body: Readable | Buffer, size: number | undefined): Promise<Readable | Buffer> {
  if (Buffer.isBuffer(body) || size === undefined || size > smallBytes) return body;
  if (body.destroyed) throw endedEarly();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= size) return;
      body.destroy();
      reject(new SrvError('invalid', `the body has more bytes, ${size} were announced`));
    });
    body.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    body.on('error', reject);
    body.on('close', () => {
      if (!body.readableEnded) reject(endedEarly());
    });
  });
}

/** Why a destroyed body cannot be stored. */
export function endedEarly(): SrvError {
  return new SrvError('cancelled', 'the upload ended before its body was complete');
}
