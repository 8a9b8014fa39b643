/** A thread of {@link HashThreads}. */
import { parentPort, workerData } from 'node:worker_threads';
import { crc32, crc32c } from './crc32.js';
import { crc64nvme } from './crc64.js';
import { startHash } from './hash.js';
import { xxhash128, xxhash3, xxhash64 } from './xxhash.js';
import type { DigestName, HashAnswer, HashRequest, HashThreadData } from './hash-threads.js';
import type { RunningDigest } from './running-digest.js';

const kinds: Readonly<Record<DigestName, () => RunningDigest>> = {
  md5: () => startHash('md5'),
  sha1: () => startHash('sha1'),
  sha256: () => startHash('sha256'),
  sha512: () => startHash('sha512'),
  crc32,
  crc32c,
  crc64nvme,
  xxhash64,
  xxhash3,
  xxhash128,
};

const { memory, slotBytes } = workerData as HashThreadData;
const bodies = new Map<number, readonly RunningDigest[]>();

function answer(message: HashAnswer): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (request: HashRequest) => {
  const { body } = request;
  if (request.kind === 'begin') {
    bodies.set(
      body,
      request.names.map(name => kinds[name]()),
    );
    return;
  }
  const digests = bodies.get(body) ?? [];
  if (request.kind === 'bytes') {
    const bytes = Buffer.from(memory, request.slot * slotBytes, request.length);
    for (const digest of digests) digest.update(bytes);
    answer({ kind: 'free', slot: request.slot });
    return;
  }
  bodies.delete(body);
  if (request.kind === 'end') answer({ kind: 'digests', body, digests: digests.map(digest => digest.digest()) });
});
