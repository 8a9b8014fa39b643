import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { stopUpload } from '../../src/http/index.js';
import type { Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';

it('a stopped upload leaves neither its stream nor its connection open, though bytes of it were not read', async t => {
  const responses: Http2ServerResponse[] = [];
  const server = createServer((request, response) => {
    responses.push(response);
    request.once('data', () => {
      request.pause();
      void until(() => request.stream.readableLength > 0).then(() => {
        response.writeHead(400).end('no');
        stopUpload(response);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/' });
  // More than the window of a stream, so that the client still has something to send.
  stream.write('x'.repeat(300_000));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  assert.equal(headers[':status'], 400);
  const [response] = responses;
  if (response?.stream && !response.stream.destroyed) await once(response.stream, 'close');
  const closed = new Promise(resolve => server.close(resolve));
  stream.destroy();
  session.close();
  await closed;
});
