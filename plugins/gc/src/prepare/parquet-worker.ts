/** The thread that encodes a Parquet file. */
import { parentPort, workerData } from 'node:worker_threads';
import { ParquetEncoder } from './parquet-encoder.js';
import type { ParquetFacts, RowGroup } from './parquet-encoder.js';

export type ParquetRequest = RowGroup | 'finish';

const encoder = new ParquetEncoder(workerData as ParquetFacts);

parentPort?.on('message', (request: ParquetRequest) => {
  if (request === 'finish') void finish();
  else {
    encoder.write(request);
    parentPort?.postMessage('written');
  }
});

async function finish(): Promise<void> {
  await encoder.finish();
  parentPort?.postMessage('finished');
}
