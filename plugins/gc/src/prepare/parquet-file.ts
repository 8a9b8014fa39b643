/** A Parquet file that grows by row groups in a temporary folder, and is then stored. Memory holds one row group. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { ParquetFacts, RowGroup } from './parquet-encoder.js';
import type { ParquetRequest } from './parquet-worker.js';

type Columns = ParquetFacts['columns'];

/** Rows that are encoded in a moment, without a thread. */
const fewRows = 500;

export class ParquetFile {
  readonly #folder: string;
  readonly #facts: ParquetFacts;
  /** Rows that may turn out to be all there are. */
  #first: RowGroup | undefined;
  #worker: Worker | undefined;
  #failure: Error | undefined;
  #answered: (() => void) | undefined;

  private constructor(folder: string, columns: Columns) {
    this.#folder = folder;
    this.#facts = { path: join(folder, 'file.parquet'), columns };
  }

  static async create(columns: Columns): Promise<ParquetFile> {
    return new ParquetFile(await mkdtemp(join(tmpdir(), 'srv-gc-')), columns);
  }

  /** Writes one row group. */
  async write(columns: RowGroup['columns']): Promise<void> {
    const [first, worker] = [this.#first, this.#worker];
    if (!first && !worker && (columns[0]?.length ?? 0) <= fewRows) {
      this.#first = { columns };
      return;
    }
    this.#first = undefined;
    if (first) await this.#ask(first);
    await this.#ask({ columns });
  }

  /** Bytes written so far. */
  async size(): Promise<number> {
    return stat(this.#facts.path).then(
      stats => stats.size,
      () => 0,
    );
  }

  /** Ends the file and puts it into the store. */
  async store(block: BlockStore, pointer: ObjectPointer): Promise<void> {
    if (this.#worker) await this.#ask('finish');
    else {
      const { ParquetEncoder } = await import('./parquet-encoder.js');
      const encoder = new ParquetEncoder(this.#facts);
      if (this.#first) encoder.write(this.#first);
      await encoder.finish();
    }
    const { size } = await stat(this.#facts.path);
    // Until the store reads it, nothing else listens.
    const body = createReadStream(this.#facts.path).on('error', () => {});
    try {
      await block.put(pointer, body, { size });
    } finally {
      body.destroy();
    }
  }

  /** Removes what is temporary; call it at last, also after an error. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(request: ParquetRequest): Promise<void> {
    const worker = this.#worker ?? this.#start();
    await new Promise<void>(resolve => {
      this.#answered = resolve;
      if (this.#failure) resolve();
      else worker.postMessage(request);
    });
    if (this.#failure) throw this.#failure;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./parquet-worker.js', import.meta.url), { workerData: this.#facts });
    worker.on('message', () => this.#answered?.());
    worker.on('error', error => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#answered?.();
    });
    this.#worker = worker;
    return worker;
  }
}
