/** Uploads whose body is longer or shorter than announced: nothing is stored. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { basic } from './support/raw.js';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

describe('uploads of another length', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    await server.admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'there', body: 'as it was' });
  });
  after(() => server.stop());

  /** Sends `body` after headers that announce `length`; disconnects after `timeoutMs` milliseconds. */
  function upload(
    length: number,
    body: Buffer,
    { timeoutMs, type = 'text/plain' }: { timeoutMs?: number; type?: string } = {},
  ): Promise<string> {
    const { hostname, port } = new URL(server.url);
    return new Promise(resolve => {
      const socket = connect(Number(port), hostname);
      let received = '';
      socket.on('data', piece => {
        received += piece.toString();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
      if (timeoutMs !== undefined) setTimeout(() => socket.end(), timeoutMs);
      socket.write(
        `POST /api/v1/repositories/lakes/branches/main/objects?path=there HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
      );
      socket.write(body);
    });
  }
  const read = async (): Promise<string> => {
    const stats = await server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'there' });
    return String(stats.size_bytes);
  };

  for (const length of [5, 300_000]) {
    it(`longer than ${length} bytes`, async () => {
      const answer = await upload(length, Buffer.alloc(length + 30, 'b'));
      assert.match(answer, /^HTTP\/1\.1 400 .*"message":"the body is longer than its Content-Length says; nothing was stored"/s);
      assert.equal(await read(), '9');
    });

    it(`shorter than ${length} bytes`, async () => {
      const answer = await upload(length, Buffer.alloc(length - 1, 'b'), { timeoutMs: 50 });
      assert.doesNotMatch(answer, /HTTP\/1\.1 2/);
      assert.equal(await read(), '9');
    });
  }

  it('a form with bytes after it', async () => {
    const form = Buffer.from('--B\r\nContent-Disposition: form-data; name="content"\r\n\r\nx\r\n--B--\r\n');
    const answer = await upload(form.length, Buffer.concat([form, Buffer.from('more than that')]), {
      type: 'multipart/form-data; boundary=B',
    });
    assert.match(answer, /^HTTP\/1\.1 400 .*longer than its Content-Length/s);
    assert.equal(await read(), '9');
  });
});
