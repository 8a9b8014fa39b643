/** Committed metadata as plain maps: the model that engine tests run over, fast enough for thousands of schedules. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { decodeStaged, encodeValue, sameIdentity } from '@srv/engine/tables/format';
import { SrvError } from '@srv/kernel';
import type {
  ApplyRequest,
  ApplyResult,
  Change,
  CommittedCursor,
  CommittedStore,
  Comparison,
  DiffMetarangesRequest,
  MergeMetarangesRequest,
  MetadataFile,
  RangeDescriptor,
  ReplaceRequest,
} from '@srv/engine/contract';

type Content = ReadonlyMap<string, Buffer>;

export class MemoryCommitted implements CommittedStore {
  readonly prefix = '_srv';
  readonly #sets = new Map<string, Content>([['', new Map()]]);
  /** Called before each result is stored: where a crash can happen. */
  onWrite: () => void = () => {};

  content(id: string): Content {
    const found = this.#sets.get(id);
    if (!found) throw new SrvError('no_data', `no metarange ${id}`);
    return found;
  }

  async get(_: string, id: string, key: Buffer): Promise<Buffer | undefined> {
    return this.content(id).get(key.toString('hex'));
  }

  async rangeOf(_: string, id: string): Promise<string | undefined> {
    return id === '' ? undefined : id;
  }

  async cursor(_: string, id: string): Promise<CommittedCursor> {
    const records = [...this.content(id)].map(([hex, value]) => ({ key: Buffer.from(hex, 'hex'), value }));
    let at = records.length;
    return {
      get valid() {
        return at < records.length;
      },
      get key() {
        return records[at]?.key ?? Buffer.alloc(0);
      },
      get value() {
        return records[at]?.value ?? Buffer.alloc(0);
      },
      async seek(key) {
        at = records.findIndex(r => Buffer.compare(r.key, key) >= 0);
        if (at < 0) at = records.length;
      },
      next() {
        at++;
        return undefined;
      },
      // One block of all.
      block: id,
      blockRecords: () => records,
      nextBlock() {
        at = records.length;
        return undefined;
      },
      close() {},
    };
  }

  async kindOf(_: string, id: string): Promise<string> {
    this.content(id);
    return 'object';
  }

  async *ranges(): AsyncGenerator<readonly RangeDescriptor[]> {}

  async apply({ base, changes }: ApplyRequest): Promise<ApplyResult> {
    const content = new Map(this.content(base));
    const summary = { added: 0, changed: 0, removed: 0 };
    for await (const page of changes) {
      for (const { key, value } of page) {
        const hex = key.toString('hex');
        const old = content.get(hex);
        if (value === undefined) summary.removed += Number(content.delete(hex));
        else if (old === undefined || !sameIdentity(old, value)) {
          content.set(hex, value);
          if (old === undefined) summary.added++;
          else summary.changed++;
        }
      }
    }
    return { metarangeId: this.#store(content), summary };
  }

  applyStaged({ changes, ...request }: ApplyRequest): Promise<ApplyResult> {
    const records = async function* (): AsyncGenerator<Change[]> {
      for await (const page of changes)
        yield page.map(({ key, value }) => {
          const staged = value && decodeStaged(value);
          return { key, value: staged && encodeValue(staged) };
        });
    };
    return this.apply({ ...request, changes: records() });
  }

  async merge({ destination, source, base, strategy }: MergeMetarangesRequest): Promise<string> {
    const [d, s, b] = [this.content(destination), this.content(source), this.content(base)];
    const merged = new Map<string, Buffer>();
    for (const hex of new Set([...d.keys(), ...s.keys()])) {
      const [dv, sv, bv] = [d.get(hex), s.get(hex), b.get(hex)];
      const clash = !same(dv, sv) && !same(bv, sv) && !same(bv, dv);
      if (clash && strategy === 'none') throw new SrvError('conflict', 'conflict found');
      const taken = same(dv, sv) || same(bv, dv) || (clash && strategy === 'source-wins') ? sv : dv;
      if (taken !== undefined) merged.set(hex, taken);
    }
    return this.#store(merged);
  }

  async replace(_: ReplaceRequest): Promise<string> {
    throw new SrvError('unsupported', 'the model does not import');
  }

  async *diff({ left, right, base, start, prefix }: DiffMetarangesRequest): AsyncGenerator<readonly Comparison[]> {
    const [l, r, b] = [this.content(left), this.content(right), base === undefined ? undefined : this.content(base)];
    const found: Comparison[] = [];
    for (const hex of [...new Set([...l.keys(), ...r.keys()])].sort()) {
      const [lv, rv, key] = [l.get(hex), r.get(hex), Buffer.from(hex, 'hex')];
      if (same(lv, rv) || (start && Buffer.compare(key, start) < 0) || (prefix && !hex.startsWith(prefix.toString('hex')))) continue;
      const type = lv === undefined ? 'added' : rv === undefined ? 'removed' : 'changed';
      if (b && same(b.get(hex), rv)) continue;
      found.push({ type: b && !same(b.get(hex), lv) ? 'conflict' : type, key, left: lv, right: rv });
    }
    if (found.length > 0) yield found;
  }

  useFolder(_folder: string | (() => Promise<string>)): void {}

  async folderForNew(): Promise<string> {
    return this.prefix;
  }

  async findFolder(): Promise<string> {
    return this.prefix;
  }

  async folderOf(): Promise<string> {
    return this.prefix;
  }

  async location(_: string, id: string): Promise<string> {
    return `_srv/${id}`;
  }

  async open(): Promise<MetadataFile> {
    return { size: 0, body: Readable.from([]) };
  }

  #store(content: Map<string, Buffer>): string {
    this.onWrite();
    const sorted = new Map([...content].sort(([a], [b]) => (a < b ? -1 : 1)));
    const hash = createHash('sha256');
    for (const [hex, value] of sorted) hash.update(`${hex}:${value.toString('hex')};`);
    const id = hash.digest('hex');
    this.#sets.set(id, sorted);
    return id;
  }
}

function same(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameIdentity(a, b);
}
