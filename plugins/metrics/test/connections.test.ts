import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { test } from 'node:test';
import { measureConnections } from '@srv/lib-stores/block';
import { createTestMetrics } from '../src/testing/index.js';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

test('connections count while they carry a request', async () => {
  const held: ServerResponse[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((_request, response) => {
    held.push(response);
    arrivals.emit('arrival');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;
  const { metrics, scrape } = createTestMetrics();
  measureConnections('s3', agents, metrics);
  const inUse = async () => (await scrape()).value('out_in_use_conns', { service: 's3' });
  assert.equal(await inUse(), 0);

  const answers = [];
  for (const agent of [agents[0], agents[0], agents[1]]) {
    const arrived = once(arrivals, 'arrival');
    const call = request({ port, host: '127.0.0.1', agent });
    answers.push(once(call, 'response').then(([answer]) => once(answer.resume(), 'close')));
    call.end();
    await arrived;
  }
  assert.equal(await inUse(), 3);
  for (const response of held) response.end('done');
  await Promise.all(answers);
  assert.equal(await inUse(), 0, 'kept open, but idle');
  for (const agent of agents) agent.destroy();
  server.close();
});
