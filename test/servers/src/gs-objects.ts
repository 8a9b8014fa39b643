/** Objects of the fake Google Cloud Storage: facts in memory, bytes in files. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Crc32c } from './gs-crc32c.js';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The key a client supplied, as SHA-256 in base64. */
export type KeyHash = string | undefined;

export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly generation: number;
  readonly size: number;
  readonly crc32c: string;
  /** Composed objects have none. */
  readonly md5Hash?: string;
  readonly created: Date;
  readonly storageClass: string;
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly kmsKeyName?: string;
  readonly keyHash: KeyHash;
  readonly file: string;
}

export type Facts = Partial<Pick<StoredObject, 'storageClass' | 'contentType' | 'metadata' | 'kmsKeyName'>> & { readonly keyHash: KeyHash };

/** Bytes that were received and not yet made an object. */
interface ReceivedBytes {
  readonly file: string;
  readonly size: number;
  readonly md5Hash: string;
  readonly crc32c: string;
}

/** Waits until this process is gone, however it went, then removes the folder. */
const guardScript = 'cat >/dev/null; rm -rf "$0"';

export class GsObjects {
  /** Holds the bytes. */
  readonly folder: string;
  readonly #guard: ChildProcess;
  readonly #buckets = new Map<string, Map<string, StoredObject>>();
  #files = 0;
  #generation = Date.now() * 1000;

  private constructor(folder: string) {
    this.folder = folder;
    const env = { PATH: '/usr/bin:/bin' };
    this.#guard = spawn('/bin/sh', ['-c', guardScript, folder], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#guard.unref();
  }

  static async open(): Promise<GsObjects> {
    return new GsObjects(await mkdtemp(join(tmpdir(), 'srv-gs-')));
  }

  /** @returns false when it is there already. */
  createBucket(bucket: string): boolean {
    if (this.#buckets.has(bucket)) return false;
    this.#buckets.set(bucket, new Map());
    return true;
  }

  hasBucket(bucket: string): boolean {
    return this.#buckets.has(bucket);
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.#buckets.get(bucket)?.get(name);
  }

  /** Names in byte order, from `startOffset` on. */
  names(bucket: string, prefix: string, startOffset: string): string[] {
    const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const names = [...(this.#buckets.get(bucket)?.keys() ?? [])];
    return names.filter(name => name.startsWith(prefix) && order(name, startOffset) >= 0).sort(order);
  }

  newFile(): string {
    return join(this.folder, String(this.#files++));
  }

  /** Appends chunks to the file. @returns bytes written. */
  async append(file: string, chunks: AsyncIterable<Buffer>): Promise<number> {
    const handle = await open(file, 'a');
    let size = 0;
    try {
      for await (const chunk of chunks) {
        await handle.write(chunk);
        size += chunk.length;
      }
    } finally {
      await handle.close();
    }
    return size;
  }

  async measure(file: string): Promise<ReceivedBytes> {
    const [md5, crc] = [createHash('md5'), new Crc32c()];
    let size = 0;
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      md5.update(chunk);
      crc.update(chunk);
      size += chunk.length;
    }
    return { file, size, md5Hash: md5.digest('base64'), crc32c: crc.digest('base64') };
  }

  put(
    bucket: string,
    name: string,
    { md5Hash, ...bytes }: Omit<ReceivedBytes, 'md5Hash'> & { md5Hash?: string },
    facts: Facts,
  ): StoredObject {
    const stored: StoredObject = {
      storageClass: 'STANDARD',
      ...facts,
      ...bytes,
      ...(md5Hash === undefined ? {} : { md5Hash }),
      bucket,
      name,
      generation: this.#generation++,
      created: new Date(),
    };
    // Readers of the old file keep it open.
    this.remove(bucket, name);
    this.#buckets.get(bucket)?.set(name, stored);
    return stored;
  }

  /** The same bytes with other facts. */
  change(stored: StoredObject): void {
    this.#buckets.get(stored.bucket)?.set(stored.name, stored);
  }

  remove(bucket: string, name: string): boolean {
    const found = this.find(bucket, name);
    if (found) this.discard(found.file);
    return this.#buckets.get(bucket)?.delete(name) ?? false;
  }

  /** A file no object has. */
  discard(file: string): void {
    void rm(file, { force: true }).catch(() => undefined);
  }

  /** Opened before it returns: the bytes stay readable when the object is replaced. */
  async read({ file }: StoredObject, start: number, end: number): Promise<Readable> {
    const handle = await open(file, 'r');
    return handle.createReadStream({ start, end, highWaterMark: 256 << 10 });
  }

  async close(): Promise<void> {
    if (this.#guard.exitCode !== null) return;
    const gone = once(this.#guard, 'exit');
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }
}
