import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { scratchFolder } from '@srv/kernel/testing';
import { noProgress } from '@srv/lib-commands';
import { download } from '../../src/transfer/download.js';
import { downloadResumed } from '../../src/transfer/resumed-download.js';
import { SignedRequestError } from '../../src/transfer/signed-url.js';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { DownloadSettings } from '../../src/transfer/download.js';

/** Returns whether it answered; otherwise the server does. */
type Fault = (response: ServerResponse, bytes: Buffer, connection: number) => boolean;

const object = { repository: 'repo', ref: 'main', path: 'o' };

describe('a download', () => {
  it('continues where a connection broke, as often as each of them brings something', async t => {
    const content = randomBytes(3_000_000);
    const store = await startStore(t, content, (response, bytes) => {
      if (bytes.length < 150_000) return false;
      response.write(bytes.subarray(0, 150_000), () => response.destroy());
      return true;
    });
    assert.ok((await store.get({ attempts: 2 })).equals(content));
    assert.ok(store.ranges.length > 10, `${store.ranges.length} connections`);
    assert.equal(store.ranges[0], undefined);
    for (const range of store.ranges.slice(1)) assert.match(range ?? '', /^bytes=[1-9]\d*-$/);
    assert.ok(store.sentBytes < 2 * content.length, `${store.sentBytes} bytes were sent`);
  });

  it('gives up when connections bring nothing', async t => {
    const store = await startStore(t, randomBytes(1_000_000), (response, bytes, connection) => {
      response.write(bytes.subarray(0, connection === 1 ? 100_000 : 0), () => response.destroy());
      return true;
    });
    await assert.rejects(store.get({ attempts: 3 }), /aborted|socket hang up|ECONNRESET|cannot reach/);
    assert.ok(store.ranges.length <= 12, `${store.ranges.length} connections`);
  });

  it('leaves a connection on which nothing arrives, large or small', async t => {
    for (const size of [1_000_000, 1000]) {
      const content = randomBytes(size);
      const store = await startStore(t, content, (response, bytes, connection) => {
        if (connection > 1) return false;
        response.write(bytes.subarray(0, size / 2));
        return true;
      });
      assert.ok((await store.get({ idleMs: 100 })).equals(content));
      for (const begins of [true, false]) {
        const silent = await startStore(t, content, response => {
          if (begins) response.flushHeaders();
          return true;
        });
        await assert.rejects(silent.get({ idleMs: 30, attempts: 2 }), /no byte arrived for 0.03 s/);
      }
    }
  });

  it('begins again when the object was replaced, and mixes nothing', async t => {
    const contents = [randomBytes(500_000), randomBytes(500_000)];
    const store = await startStore(t, contents[0] ?? Buffer.alloc(0), (response, bytes, connection) => {
      if (connection > 1) return false;
      store.content = contents[1] ?? Buffer.alloc(0);
      response.write(bytes.subarray(0, 200_000), () => response.destroy());
      return true;
    });
    assert.ok((await store.get({ attempts: 3 })).equals(contents[1] ?? Buffer.alloc(0)));
  });

  it('begins again where a server ignores ranges', async t => {
    const content = randomBytes(500_000);
    const store = await startStore(t, content, (response, bytes, connection) => {
      if (connection !== 1) return false;
      store.ignoresRanges = true;
      response.write(bytes.subarray(0, 200_000), () => response.destroy());
      return true;
    });
    assert.ok((await store.get({ attempts: 3 })).equals(content));
  });

  it('waits where an object store asks for it, and ends where it refuses', async () => {
    for (const [status, requests] of [
      [429, 2],
      [503, 2],
      [404, 1],
    ] as const) {
      const file = join(scratchFolder(), 'o');
      const handle = await openFile(file, 'w');
      let opened = 0;
      const open = async (): Promise<Readable> => {
        if (++opened === 1) throw new SignedRequestError(status, '');
        return Readable.from([Buffer.from('content')], { objectMode: false });
      };
      const { signal } = new AbortController();
      const downloaded = downloadResumed({ handle, start: 0, end: 7, open, onBytes: () => undefined, signal, attempts: 2 });
      await downloaded.catch((error: unknown) => assert.equal((error as SignedRequestError).statusCode, status));
      await handle.close();
      assert.deepEqual([opened, readFileSync(file, 'utf8')], [requests, requests === 2 ? 'content' : ''], String(status));
    }
  });
});

interface Store {
  content: Buffer;
  ignoresRanges: boolean;
  /** Headers of the requests so far. */
  readonly ranges: (string | undefined)[];
  readonly sentBytes: number;
  get(settings: Partial<DownloadSettings>): Promise<Buffer>;
}

async function startStore(t: TestContext, content: Buffer, fault: Fault): Promise<Store> {
  const ranges: (string | undefined)[] = [];
  let sentBytes = 0;
  const server = createServer((request, response) => {
    const { range } = request.headers;
    ranges.push(range);
    const from = store.ignoresRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const bytes = store.content.subarray(from);
    const etag = `"${createHash('md5').update(store.content).digest('hex')}"`;
    const isPart = range !== undefined && !store.ignoresRanges;
    response.writeHead(isPart ? 206 : 200, {
      etag,
      'content-length': bytes.length,
      ...(isPart ? { 'content-range': `bytes ${from}-${store.content.length - 1}/${store.content.length}` } : {}),
    });
    const write = response.write.bind(response) as (...args: unknown[]) => boolean;
    response.write = ((chunk: Buffer, ...rest: unknown[]) => {
      sentBytes += chunk.length;
      return write(chunk, ...rest);
    }) as typeof response.write;
    if (fault(response, bytes, ranges.length)) return;
    sentBytes += bytes.length;
    response.end(bytes);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const api = createClient({
    endpointUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations: {},
    retries: { enabled: false },
  });
  t.after(async () => {
    api.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  const store: Store = {
    content,
    ignoresRanges: false,
    ranges,
    get sentBytes() {
      return sentBytes;
    },
    async get(settings) {
      const file = join(scratchFolder(), 'o');
      const preSign = { enabled: false } as DownloadSettings['preSign'];
      const signal = new AbortController().signal;
      await download(object, file, { api, preSign, progress: noProgress, signal, partSize: 8_388_608, attempts: 4, ...settings });
      return readFileSync(file);
    },
  };
  return store;
}
