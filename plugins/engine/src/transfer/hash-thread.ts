/** The thread of {@link WrittenHash}: hashes a file as far as it has been written. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { HashProgress } from './written-hash.js';

const pieceSize = 1 << 20;

const hash = createHash('md5');
const piece = Buffer.allocUnsafeSlow(pieceSize);
let [file, done]: [number | undefined, number] = [undefined, 0];

parentPort?.on('message', ({ written, isAll }: HashProgress) => {
  file ??= openSync(workerData as string, 'r');
  while (done < written) {
    const length = readSync(file, piece, 0, Math.min(pieceSize, written - done), done);
    if (length === 0) throw new Error(`${String(workerData)} ends after ${done} bytes of ${written}`);
    hash.update(piece.subarray(0, length));
    done += length;
  }
  if (!isAll) return;
  closeSync(file);
  parentPort?.postMessage(hash.digest('hex'));
});
