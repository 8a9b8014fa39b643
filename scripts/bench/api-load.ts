/** Load on an HTTP server: as many requests as a number of connections can carry, by plain sockets, so that the load costs little. */
import { connect } from 'node:net';

/** The first administrator of the server under load. */
export const key = { id: 'AKIAIOSFOLQUICKSTART', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
export const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;

interface Load {
  readonly port: number;
  /** A whole request; called again for every one. Nothing: there are no more. */
  readonly request: () => Buffer | undefined;
  readonly connections: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Ends the load before its time. */
  readonly signal?: AbortSignal;
}

interface LoadResult {
  /** Per second. */
  readonly rate: number;
  /** Milliseconds, ascending. */
  readonly latencies: readonly number[];
}

/** @param type of the body; the servers take content of objects without one. */
export function requestText(method: string, path: string, body?: Buffer, type?: string): Buffer {
  const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n${kind}`;
  return body ? Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]) : Buffer.from(`${head}\r\n`);
}

/** @throws Error for an answer that is not a success. */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const begin = performance.now();
  const latencies: number[] = [];
  await Promise.all(Array.from({ length: load.connections }, () => keepAsking(load, begin + load.duration, latencies)));
  const took = performance.now() - begin;
  return { rate: (latencies.length / took) * 1000, latencies: latencies.sort((a, b) => a - b) };
}

export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

function keepAsking({ port, request, signal }: Load, end: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const answer = new AnswerReader();
    let sent = 0;
    const ask = (): void => {
      const next = request();
      if (next) {
        sent = performance.now();
        socket.write(next);
      } else {
        socket.destroy();
        resolve();
      }
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('data', chunk => {
      let over: boolean;
      try {
        over = answer.take(chunk);
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      if (!over) return;
      const now = performance.now();
      latencies.push(now - sent);
      if (now < end && signal?.aborted !== true) return ask();
      socket.destroy();
      resolve();
    });
  });
}

/** Finds the end of each answer. */
class AnswerReader {
  #head = '';
  /** Bytes of the body still to come; below zero: the head is not complete. */
  #missing = -1;

  /** @returns whether the answer is complete. @throws Error when it is not a success or does not state its length. */
  take(chunk: Buffer): boolean {
    if (this.#missing >= 0) this.#missing -= chunk.length;
    else {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return false;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
      if (!/^HTTP\/1.1 2/.test(this.#head) || length === undefined) throw new Error(`unexpected answer: ${this.#head.slice(0, 500)}`);
      this.#missing = Number(length) - (this.#head.length - end - 4);
    }
    if (this.#missing > 0) return false;
    this.#head = '';
    this.#missing = -1;
    return true;
  }
}
