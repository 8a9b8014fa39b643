/** Child process of the benchmark `storage`: moves one object one way, and reports how long it took and how much memory it used. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import blockAzureConfig from '@srv/block-azure/config';
import blockAzure from '@srv/block-azure/plugin';
import blockGsConfig from '@srv/block-gs/config';
import blockGs from '@srv/block-gs/plugin';
import blockS3Config from '@srv/block-s3/config';
import blockS3 from '@srv/block-s3/plugin';
import { identifierType } from '@srv/lib-stores/block';
import { timeOf } from './benchmark.js';
import { bareBlock } from './storage-bare-block.js';
import { openStores } from './storage-servers.js';
import type { Task } from './storage-bare-block.js';

export interface Transferred {
  readonly milliseconds: number;
  /** MiB. */
  readonly peak: number;
}

const plugins = {
  s3: { plugin: blockS3, section: blockS3Config },
  azure: { plugin: blockAzure, section: blockAzureConfig },
  gs: { plugin: blockGs, section: blockGsConfig },
};

const pieceBytes = 256 << 10;
const task = JSON.parse(process.argv[2] ?? '') as Task;
let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
const side = task.side === 'bare' ? bareBlock(task) : await driver(task);
const milliseconds = await timeOf(() => (task.direction === 'up' ? side.upload(body(task.size)) : download()));
clearInterval(watch);
process.send?.({ milliseconds, peak: Math.round(peak / 2 ** 20) } satisfies Transferred, () => process.exit());

async function driver({ block, env, namespace, size }: Task) {
  const { block: store } = await openStores(plugins[block], env);
  const pointer = { namespace, identifier: 'large', identifierType: identifierType.relative };
  // The catalog hashes what it stores and passes the hash to the driver.
  const md5 = task.direction === 'up' ? hashOf(size) : '';
  return {
    upload: (content: Readable) => store.put(pointer, content, { size, md5: () => md5 }),
    download: () => store.get(pointer),
  };
}

async function download(): Promise<void> {
  let length = 0;
  for await (const chunk of await side.download()) length += (chunk as Buffer).length;
  if (length !== task.size) throw new Error(`${length} of ${task.size} bytes came back`);
}

function body(size: number): Readable {
  return Readable.from(pieces(size), { objectMode: false, highWaterMark: pieceBytes });
}

function hashOf(size: number): string {
  const hash = createHash('md5');
  for (const piece of pieces(size)) hash.update(piece);
  return hash.digest('hex');
}

function* pieces(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(pieceBytes, 'some content');
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left);
}
