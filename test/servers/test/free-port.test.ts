import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../src/index.js';

test('free ports differ, can be listened to, and are below those that the system gives away', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  assert.equal(new Set(ports).size, 20);
  const [given = Infinity] =
    process.platform === 'linux' ? readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number) : [];
  assert.ok(
    ports.every(port => port < given),
    `${ports.join()} of less than ${given}`,
  );
  for (const port of ports.slice(0, 3)) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
});
