/** Turns records and taken-over ranges into range files and one metarange file (format.md section 10). Runs in a worker. */
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SrvError } from '@srv/kernel/errors';
import { TableWriter, descriptorOf, encodeDescriptor, endsRange, withoutTail } from './format/index.js';
import type { Output } from './algorithms/index.js';
import type { FileKind } from './cache/cache-meter.js';
import type { FrameCache } from './cache/frame-cache.js';
import type { BreakRules, RangeDescriptor, TableSummary, UnreadBlock } from './format/index.js';

interface MetarangeWriterOptions {
  readonly rules: BreakRules;
  readonly workspaces: Readonly<Record<FileKind, string>>;
  readonly uploaders: number;
  readonly frames: FrameCache;
  /** Hashed properties other than the type. */
  readonly properties: Readonly<Record<string, string>>;
  /** Takes over a finished file. */
  readonly store: (kind: FileKind, id: string, file: string) => Promise<void>;
}

const bufferSize = 256 * 1024;
/** Bytes by which a block may grow the index, at most. */
const spareSize = 8 * 1024;

export class MetarangeWriter {
  readonly #options: MetarangeWriterOptions;
  readonly #ranges: RangeDescriptor[] = [];
  readonly #uploads = new Set<Promise<void>>();
  #range: TableFile | undefined;
  #lastKey: Buffer | undefined;
  #failure: unknown;

  constructor(options: MetarangeWriterOptions) {
    this.#options = options;
  }

  /** Writes a batch in order. Waits while too many uploads run. @throws the first failure of an upload. */
  async write(batch: readonly Output[]): Promise<void> {
    for (const output of batch) {
      if ('range' in output) await this.#takeOver(output.range);
      else if ('block' in output) await this.#takeOverBlock(output.block);
      else await this.#add(output.key, output.value);
    }
  }

  /**
   * The metarange id, once everything is uploaded. The metarange does not wait for its ranges: its id is returned only
   * when all of them are stored.
   */
  async finish(): Promise<string> {
    await this.#closeRange();
    const file = new TableFile('meta-range', this.#options);
    for (const range of this.#ranges) file.writer.add(range.maxKey, encodeDescriptor(range));
    const { id } = file.finish();
    await Promise.all([...this.#uploads, this.#options.store('meta-range', id, file.path)]);
    this.#rethrow();
    return id;
  }

  /** Drops the open range; uploads on their way are waited for. */
  async abort(): Promise<void> {
    await this.#range?.remove();
    await Promise.allSettled(this.#uploads);
  }

  async #add(key: Buffer, value: Buffer): Promise<void> {
    this.#ascend(key);
    this.#range ??= new TableFile('range', this.#options);
    this.#range.writer.add(key, value);
    this.#lastKey = key;
    if (endsRange(key, this.#range.writer.estimatedSize, this.#options.rules)) await this.#closeRange();
  }

  /** Copies the block as it is where that gives the same file as adding its records, which must not end the range either. */
  async #takeOverBlock(block: UnreadBlock): Promise<void> {
    const { rules, frames } = this.#options;
    const frame = frames.get(block);
    this.#ascend(frame.firstKey);
    this.#range ??= new TableFile('range', this.#options);
    const roomy = this.#range.writer.estimatedSize + frame.contentSize + spareSize < rules.maxSize;
    if (roomy && frame.copyable && this.#range.writer.copyBlock(frame)) {
      this.#lastKey = frame.lastKey;
      return;
    }
    const cursor = block.reader.dataBlock(block.handle, false);
    for (cursor.first(); cursor.valid; cursor.next()) await this.#add(cursor.key, withoutTail(cursor.value));
  }

  async #takeOver(range: RangeDescriptor): Promise<void> {
    this.#ascend(range.minKey);
    await this.#closeRange();
    this.#ranges.push(range);
    this.#lastKey = range.maxKey;
  }

  #ascend(key: Buffer): void {
    if (this.#lastKey !== undefined && Buffer.compare(key, this.#lastKey) <= 0)
      throw new SrvError('internal', 'keys should be written in ascending order');
  }

  async #closeRange(): Promise<void> {
    const range = this.#range;
    if (range === undefined) return;
    this.#range = undefined;
    const summary = range.finish();
    this.#ranges.push(descriptorOf(summary));
    while (this.#uploads.size >= this.#options.uploaders) await Promise.race(this.#uploads);
    this.#rethrow();
    const upload = this.#options.store('range', summary.id, range.path).catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#uploads.add(upload);
    void upload.finally(() => this.#uploads.delete(upload));
  }

  #rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** A table on its way to disk. */
class TableFile {
  readonly path: string;
  readonly writer: TableWriter;
  readonly #descriptor: number;
  readonly #buffer = Buffer.allocUnsafeSlow(bufferSize);
  #length = 0;
  #open = true;

  constructor(kind: FileKind, { workspaces, properties }: MetarangeWriterOptions) {
    this.path = join(workspaces[kind], randomUUID());
    this.#descriptor = createFile(this.path);
    this.writer = new TableWriter(bytes => this.#append(bytes), { ...properties, type: kind === 'range' ? 'ranges' : 'metaranges' });
  }

  finish(): TableSummary {
    const summary = this.writer.finish();
    this.#flush();
    this.#close();
    return summary;
  }

  async remove(): Promise<void> {
    this.#close();
    await rm(this.path, { force: true });
  }

  #close(): void {
    if (this.#open) closeSync(this.#descriptor);
    this.#open = false;
  }

  #append(bytes: Buffer): void {
    if (this.#length + bytes.length > bufferSize) this.#flush();
    if (bytes.length > bufferSize) writeAll(this.#descriptor, bytes);
    else this.#length += bytes.copy(this.#buffer, this.#length);
  }

  #flush(): void {
    writeAll(this.#descriptor, this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** A new file, in a folder that another program may have removed. */
function createFile(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'wx');
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
