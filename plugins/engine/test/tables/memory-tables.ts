/** Ranges and metaranges kept in memory, written by the real writer: what algorithm tests work on. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BaseView, MetarangeCursor, PageCursor, apply } from '../../src/tables/algorithms/index.js';
import { FrameCache } from '../../src/tables/cache/frame-cache.js';
import { TableReader, encodeValue, memoryFile } from '../../src/tables/format/index.js';
import { MetarangeWriter } from '../../src/tables/metarange-writer.js';
import type { Change, Output } from '../../src/tables/algorithms/index.js';
import type { BreakRules } from '../../src/tables/format/index.js';

/** Contents of a metarange by hexadecimal key. */
export type Model = Map<string, Buffer>;

export class MemoryTables {
  readonly #files = new Map<string, Buffer>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'tables-'));
  readonly rules: BreakRules;
  opened: string[] = [];

  constructor(rules: BreakRules) {
    this.rules = rules;
  }

  async write<R>(outputs: AsyncGenerator<Output[], R>): Promise<{ id: string; result: R }> {
    const writer = new MetarangeWriter({
      rules: this.rules,
      workspaces: { range: this.#folder, 'meta-range': this.#folder },
      uploaders: 2,
      frames: new FrameCache(1 << 20, this.rules),
      properties: {},
      store: async (_, id, file) => {
        this.#files.set(id, readFileSync(file));
        rmSync(file);
      },
    });
    for (;;) {
      const { done, value } = await outputs.next();
      if (done) return { id: await writer.finish(), result: value };
      await writer.write(value);
    }
  }

  async apply(base: string, changes: readonly Change[]) {
    return this.write(apply(this.cursor(base), await PageCursor.open(pagesOf(changes))));
  }

  /** A metarange of exactly these records. */
  async build(model: Model): Promise<string> {
    return (
      await this.apply(
        '',
        sorted(model).map(([key, value]) => ({ key, value })),
      )
    ).id;
  }

  table(id: string): TableReader {
    const bytes = this.#files.get(id);
    if (bytes === undefined) throw new Error(`no table ${id}`);
    return new TableReader(memoryFile(id, bytes));
  }

  cursor(id: string): MetarangeCursor {
    return new MetarangeCursor(id === '' ? undefined : this.table(id), range => this.#open(range));
  }

  baseView(id: string): BaseView {
    return new BaseView(id === '' ? undefined : this.table(id), range => this.#open(range));
  }

  async contents(id: string): Promise<Model> {
    const model: Model = new Map();
    const cursor = this.cursor(id);
    while (!cursor.done) {
      if (cursor.atRange) await cursor.enter();
      else {
        model.set(cursor.key.toString('hex'), Buffer.from(cursor.value));
        cursor.next();
      }
    }
    return model;
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(id: string): TableReader {
    this.opened.push(id);
    return this.table(id);
  }
}

export function sorted(model: Model): [Buffer, Buffer][] {
  return [...model].map(([key, value]): [Buffer, Buffer] => [Buffer.from(key, 'hex'), value]).sort(([a], [b]) => Buffer.compare(a, b));
}

/** Pages of uneven sizes. */
export async function* pagesOf(changes: readonly Change[]): AsyncGenerator<Change[]> {
  for (let at = 0, size = 1; at < changes.length; at += size, size = (size % 7) + 1) yield changes.slice(at, at + size);
}

/** A value whose identity is `identity` and whose data contains `note`. */
export function recordOf(identity: string, note = ''): Buffer {
  return encodeValue({ identity: Buffer.from(identity), data: Buffer.from(note) });
}
