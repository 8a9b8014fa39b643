import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createClient } from '@srv/engine/client';
import { applyLoad, authorization, key, percentile, requestText } from './api-load.js';
import { timeOf } from './benchmark.js';
import type { ChildProcess } from 'node:child_process';
import type { Client } from '@srv/engine/client';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const mebibyte = 2 ** 20;
const sizes = {
  full: { duration: 4000, warmUp: 1500, transfer: 1024 * mebibyte, staged: 200_000 },
  smoke: { duration: 200, warmUp: 50, transfer: 4 * mebibyte, staged: 1000 },
};
type Size = typeof sizes.full;

const connections = 64;
/** Of the load beside a commit: a server with reserves. */
const fewConnections = 4;
const objects = '/api/v1/repositories/bench/refs/main/objects';

interface Child {
  readonly process: ChildProcess;
  readonly port: number;
}

export default {
  name: 'api',
  description: 'The HTTP API with 64 connections, against an empty authenticated route and a bare file server',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const folder = await mkdtemp(join(tmpdir(), 'bench-'));
    const children: Child[] = [];
    const start = async (...args: string[]): Promise<Child> => {
      const child = await startChild(args);
      children.push(child);
      return child;
    };
    try {
      const server = await start('srv', folder);
      const client = createClient({ endpointUrl: `http://127.0.0.1:${server.port}`, accessKeyId: key.id, secretAccessKey: key.secret });
      try {
        await prepare(client);
        const rates = await measureRates(server, await start('empty'), size);
        const transfers = await measureTransfers(server, await start('files', folder), size);
        return [...rates, ...transfers, ...(await measureBesideCommit(server, client, size))];
      } finally {
        client.close();
      }
    } finally {
      for (const { process } of children) {
        process.kill('SIGKILL');
        if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
} satisfies Benchmark;

async function startChild(args: readonly string[]): Promise<Child> {
  const child = fork(join(import.meta.dirname, 'api-server.js'), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [{ port: number } | number | null];
  if (typeof told !== 'object' || told === null) throw new Error(`the server ${args.join(' ')} did not start`);
  return { process: child, port: told.port };
}

async function prepare(client: Client): Promise<void> {
  await client.createRepository({ body: { name: 'bench', storage_namespace: 'local://bench' } });
  const main = { repository: 'bench', branch: 'main' };
  for (let i = 0; i < 200; i++) await client.uploadObject({ ...main, path: `small/${i}`, body: Buffer.alloc(1024, i) });
  await client.commit({ ...main, body: { message: 'small objects' } });
  for (const name of ['uploads', 'large']) await client.createBranch({ repository: 'bench', body: { name, source: 'main' } });
}

async function measureRates(server: Child, empty: Child, { duration, warmUp }: Size): Promise<BenchmarkRow[]> {
  const rateOf = async (port: number, request: () => Buffer): Promise<number> => {
    await applyLoad({ port, request, connections, duration: warmUp });
    return (await applyLoad({ port, request, connections, duration })).rate;
  };
  const rootRequest = requestText('GET', '/');
  const kibibyte = Buffer.alloc(1024, 'x');
  let uploads = 0;
  let lists = 0;
  const fixed = (path: string): (() => Buffer) => {
    const request = requestText('GET', path);
    return () => request;
  };
  const measured: Readonly<Record<string, () => Buffer>> = {
    'stat object': fixed(`${objects}/stat?path=small/7`),
    'get 1 KiB object': fixed(`${objects}?path=small/7`),
    'list 100': fixed(`${objects}/ls?amount=100`),
    // The same objects, from another place each time.
    'list 100, for the first time': () => requestText('GET', `${objects}/ls?amount=100&after=small/!${lists++}`),
    'upload 1 KiB, durable': () =>
      requestText('POST', `/api/v1/repositories/bench/branches/uploads/objects?path=up/${uploads++}`, kibibyte),
  };
  const rows: BenchmarkRow[] = [];
  for (const [what, request] of Object.entries(measured)) {
    // Around each measurement: other work on the machine then hits both alike.
    const before = await rateOf(empty.port, () => rootRequest);
    const rate = await rateOf(server.port, request);
    const after = await rateOf(empty.port, () => rootRequest);
    rows.push({ what, value: Math.round(rate), unit: 'requests/s', ratio: { to: 'an empty route', value: rate / ((before + after) / 2) } });
  }
  return rows;
}

async function measureTransfers(server: Child, files: Child, { transfer }: Size): Promise<BenchmarkRow[]> {
  const speed = async (work: () => Promise<void>): Promise<number> => transfer / mebibyte / ((await timeOf(work)) / 1000);
  const place = '/api/v1/repositories/bench/branches/uploads/objects?path=huge';
  const row = (what: string, value: number, bare: number): BenchmarkRow => ({
    what: `${what} ${transfer / mebibyte} MiB`,
    value: Math.round(value),
    unit: 'MiB/s',
    ratio: { to: 'a bare file server', value: value / bare },
  });
  const bareUp = await speed(() => send(files.port, 'POST', '/', transfer));
  const up = await speed(() => send(server.port, 'POST', place, transfer));
  const bareDown = await speed(() => send(files.port, 'GET', '/'));
  const down = await speed(() => send(server.port, 'GET', '/api/v1/repositories/bench/refs/uploads/objects?path=huge'));
  return [row('upload', up, bareUp), row('download', down, bareDown)];
}

/** @param size bytes to send. @throws Error for an answer that is not a success. */
async function send(port: number, method: string, path: string, size?: number): Promise<void> {
  const headers = { authorization, 'content-type': 'application/octet-stream', ...(size === undefined ? {} : { 'content-length': size }) };
  const outgoing = httpRequest({ port, host: '127.0.0.1', method, path, headers });
  if (size === undefined) outgoing.end();
  else Readable.from(pieces(size), { objectMode: false, highWaterMark: mebibyte }).pipe(outgoing);
  const [response] = (await once(outgoing, 'response')) as [Readable & { statusCode: number }];
  response.resume();
  await once(response, 'end');
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: status ${response.statusCode}`);
}

function* pieces(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(mebibyte, 'some content');
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

async function measureBesideCommit(server: Child, client: Client, { staged, duration }: Size): Promise<BenchmarkRow[]> {
  server.process.send({ stage: staged });
  await once(server.process, 'message');
  const request = requestText('GET', `${objects}/stat?path=small/7`);
  const load = { port: server.port, request: () => request, connections: fewConnections };
  const alone = (await applyLoad({ ...load, duration })).latencies;
  const done = new AbortController();
  const running = applyLoad({ ...load, duration: 600_000, signal: done.signal });
  const commit = await timeOf(() => client.commit({ repository: 'bench', branch: 'large', body: { message: 'large' } }));
  done.abort();
  const { latencies } = await running;
  const median = percentile(latencies, 0.5);
  const row = (what: string, value: number, to: string, base: number): BenchmarkRow => ({
    what,
    value: Math.round(value * 100) / 100,
    unit: 'ms',
    ratio: { to, value: value / base },
  });
  return [
    { what: `commit ${staged} objects meanwhile`, value: Math.round(commit), unit: 'ms' },
    row('stat object during it, median', median, 'the median without it', percentile(alone, 0.5)),
    row('stat object during it, p99', percentile(latencies, 0.99), 'its median', median),
  ];
}
