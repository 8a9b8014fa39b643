import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyLoad, percentile } from './api-load.js';
import { timeOf } from './benchmark.js';
import { signedHead, signedRequest } from './gateway-request.js';
import type { ChildProcess } from 'node:child_process';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const kibibyte = 2 ** 10;
const mebibyte = 2 ** 20;
const sizes = {
  full: {
    duration: 3000,
    warmUp: 1000,
    objects: [4 * kibibyte, mebibyte, 64 * mebibyte],
    listed: 1000,
    uploads: 200,
    upload: 8 * mebibyte,
  },
  smoke: { duration: 100, warmUp: 50, objects: [4 * kibibyte, 64 * kibibyte, mebibyte], listed: 50, uploads: 20, upload: mebibyte },
};
type Size = typeof sizes.full;

/** Keys that uploads of one size take turns with. */
const keys = 64;
const connections = (bytes: number): number => (bytes < mebibyte ? 32 : bytes < 64 * mebibyte ? 8 : 2);

interface Child {
  readonly process: ChildProcess;
  readonly port: number;
}

export default {
  name: 'gateway',
  plugin: 'gateway-s3',
  description: 'The S3 gateway with signed requests, against a bare node:http server that hashes and syncs what it is sent',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const folder = await mkdtemp(join(tmpdir(), 'bench-'));
    const children: Child[] = [];
    const start = async (kind: string, name: string): Promise<Child> => {
      const child = await startChild(kind, join(folder, name));
      children.push(child);
      return child;
    };
    try {
      const [server, bare] = [await start('srv', 'one'), await start('bare', 'one')];
      const rows: BenchmarkRow[] = [];
      const [smallest = 0] = size.objects;
      rows.push(await measureNewKeys(server, bare, smallest, size));
      for (const bytes of size.objects) rows.push(...(await measureObjects(server, bare, bytes, size)));
      rows.push(await measureListing(server, size));
      rows.push(...(await measureUploads(await start('srv', 'two'), await start('bare', 'two'), size)));
      return rows;
    } finally {
      for (const { process } of children) {
        process.kill('SIGKILL');
        if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
} satisfies Benchmark;

async function startChild(kind: string, folder: string): Promise<Child> {
  const child = fork(join(import.meta.dirname, 'gateway-server.js'), [kind, folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [{ port: number } | number | null];
  if (typeof told !== 'object' || told === null) throw new Error(`the server ${kind} did not start`);
  return { process: child, port: told.port };
}

/** Requests made beforehand, in turn: signing costs the load, not the server. */
function inTurn(requests: readonly Buffer[]): () => Buffer {
  let next = 0;
  return () => requests[next++ % requests.length] ?? Buffer.alloc(0);
}

/** Every request stores another object: to a file system that is more work than to write over a file. */
async function measureNewKeys(server: Child, bare: Child, bytes: number, { duration, warmUp }: Size): Promise<BenchmarkRow> {
  const body = Buffer.alloc(bytes, 'some content');
  let made = 0;
  const rateOf = async ({ port }: Child, time: number): Promise<number> => {
    const request = (): Buffer => signedRequest(port, 'PUT', `/bench/main/new-${made++}`, body);
    return (await applyLoad({ port, request, connections: connections(bytes), duration: time })).rate;
  };
  for (const child of [server, bare]) await rateOf(child, warmUp);
  // Around the measurement: other work on the machine then hits both alike.
  const before = await rateOf(bare, duration / 2);
  const rate = await rateOf(server, duration);
  const after = await rateOf(bare, duration / 2);
  return {
    what: `PUT ${shownSize(bytes)}, new keys`,
    value: Math.round(rate),
    unit: 'requests/s',
    ratio: { to: 'a bare server', value: rate / ((before + after) / 2) },
  };
}

async function measureObjects(server: Child, bare: Child, bytes: number, { duration, warmUp }: Size): Promise<BenchmarkRow[]> {
  const body = Buffer.alloc(bytes, 'some content');
  // Large bodies are held once for each of their requests.
  const count = Math.min(keys, Math.max(2, Math.floor((256 * mebibyte) / bytes)));
  const requests = ({ port }: Child, method: string): (() => Buffer) =>
    inTurn(
      Array.from({ length: count }, (_, i) =>
        signedRequest(port, method, `/bench/main/object-${bytes}-${i}`, method === 'PUT' ? body : undefined),
      ),
    );
  const rateOf = async (child: Child, request: () => Buffer, time: number): Promise<number> =>
    (await applyLoad({ port: child.port, request, connections: connections(bytes), duration: time })).rate;
  const rows: BenchmarkRow[] = [];
  for (const method of ['PUT', 'GET']) {
    const [ours, theirs] = [requests(server, method), requests(bare, method)];
    // Every object is there before one is read.
    for (const [child, request] of [
      [server, ours],
      [bare, theirs],
    ] as const) {
      if (method === 'PUT') await putAll(child, request, count, bytes);
      await rateOf(child, request, warmUp);
    }
    // Around each measurement: other work on the machine then hits both alike.
    const before = await rateOf(bare, theirs, duration / 2);
    const rate = await rateOf(server, ours, duration);
    const after = await rateOf(bare, theirs, duration / 2);
    const large = bytes >= mebibyte;
    rows.push({
      what: `${method} ${shownSize(bytes)}${method === 'PUT' ? ' over existing ones' : ''}`,
      value: Math.round(large ? (rate * bytes) / mebibyte : rate),
      unit: large ? 'MiB/s' : 'requests/s',
      ratio: { to: 'a bare server', value: rate / ((before + after) / 2) },
    });
  }
  return rows;
}

async function putAll({ port }: Child, request: () => Buffer, count: number, bytes: number): Promise<void> {
  for (let done = 0; done < count; done += connections(bytes))
    await applyLoad({ port, request, connections: connections(bytes), duration: 0 });
}

async function measureListing(server: Child, { listed, duration, warmUp }: Size): Promise<BenchmarkRow> {
  const { port } = server;
  const puts = Array.from({ length: listed }, (_, i) =>
    signedRequest(port, 'PUT', `/bench/main/list/part-${String(i).padStart(8, '0')}`, Buffer.from('x')),
  );
  await putAll(server, inTurn(puts), listed, 1);
  const request = inTurn([signedRequest(port, 'GET', '/bench?list-type=2&prefix=main%2Flist%2F')]);
  await applyLoad({ port, request, connections: 1, duration: warmUp });
  const { latencies } = await applyLoad({ port, request, connections: 1, duration });
  return { what: `list ${listed} keys, median`, value: Math.round(percentile(latencies, 0.5) * 100) / 100, unit: 'ms' };
}

/** In servers of their own: what they needed before does not count. */
async function measureUploads(server: Child, bare: Child, { uploads, upload }: Size): Promise<BenchmarkRow[]> {
  const body = Buffer.alloc(upload, 'some content');
  const run = async ({ port, process }: Child): Promise<{ speed: number; peak: number }> => {
    const heads = Array.from({ length: uploads }, (_, i) => signedHead(port, 'PUT', `/bench/main/upload-${i}`, upload));
    const took = await timeOf(() => Promise.all(heads.map(head => send(port, head, body))));
    process.send({});
    const [{ peak }] = (await once(process, 'message')) as [{ peak: number }];
    return { speed: (uploads * upload) / mebibyte / (took / 1000), peak: peak / mebibyte };
  };
  const theirs = await run(bare);
  const ours = await run(server);
  const what = `${uploads} uploads of ${shownSize(upload)} at once`;
  const row = (name: string, unit: string, of: 'speed' | 'peak'): BenchmarkRow => ({
    what: `${what}${name}`,
    value: Math.round(ours[of]),
    unit,
    ratio: { to: 'a bare server', value: ours[of] / theirs[of] },
  });
  return [row('', 'MiB/s', 'speed'), row(', peak memory', 'MiB', 'peak')];
}

/** One request whose body is shared with others. @throws Error for an answer that is not a success. */
async function send(port: number, head: Buffer, body: Buffer): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(head);
  socket.write(body);
  let answer = '';
  for await (const piece of socket as AsyncIterable<Buffer>) {
    answer += piece.toString('latin1');
    if (answer.includes('\r\n\r\n')) break;
  }
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${answer.slice(0, 500)}`);
}

function shownSize(bytes: number): string {
  return bytes < mebibyte ? `${bytes / kibibyte} KiB` : `${bytes / mebibyte} MiB`;
}
