/** Objects as files of the engine: fetched through the public API, and again only when they have changed. */
import { ask, send, sizeText } from '@srv/lib-page/page';
import { addressText, isPlainName, patternOf } from '@srv/lib-records/tables/sql/address';
import { contentTypeOf, extensionOf } from '@srv/lib-records/tables/sql/formats';
import type { Address } from '@srv/lib-records/tables/sql/address';
import type { Engine } from './engine.js';

/** Bytes of one object; it is fetched whole. */
const largest = 2 ** 30;
/** Bytes of all objects that are kept at once. */
const mostKept = 2 ** 31;
/** Objects of one pattern. */
const mostMatches = 1000;

interface Kept {
  readonly name: string;
  readonly checksum: string;
  readonly size: number;
}

interface Entry {
  readonly path: string;
  readonly checksum: string;
  readonly size_bytes?: number;
}

interface Bringing {
  /** Addresses that the same statement needs; those that are brought are added. */
  readonly inUse: Set<string>;
  readonly signal: AbortSignal;
  /** @param step what is being done. */
  readonly onStep: (step: string) => void;
}

export class EngineFiles {
  readonly #engine: Engine;
  /** By address; the longest unused first. */
  readonly #kept = new Map<string, Kept>();
  readonly #addresses = new Map<string, string>();
  #last = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Addresses by the engine's names, for its messages. */
  get addresses(): ReadonlyMap<string, string> {
    return this.#addresses;
  }

  /**
   * A name for a file of the engine: the address, where the engine takes it as it is, so that queries find folders such as
   * `year=2024` in it, and `filename` says where a row comes from.
   */
  nameFor(address: Address): string {
    const text = addressText(address);
    if (isPlainName(text)) return text;
    const extension = extensionOf(address.path);
    const name = `srv-file-${++this.#last}${extension === '' ? '' : `.${extension}`}`;
    this.#addresses.set(name, text);
    return name;
  }

  /** @returns the engine's names for what the address denotes. */
  async bring(address: Address, { inUse, signal, onStep }: Bringing): Promise<readonly string[]> {
    const names: string[] = [];
    for (const entry of await matching(address, signal)) {
      const at = { ...address, path: entry.path };
      inUse.add(addressText(at));
      names.push(await this.#bringOne(at, entry, { inUse, signal, onStep }));
    }
    return names;
  }

  async #bringOne(address: Address, { checksum, size_bytes: size = 0 }: Entry, { inUse, signal, onStep }: Bringing) {
    const text = addressText(address);
    const before = this.#kept.get(text);
    // Under the same name, so that views of it see the new content.
    const name = before?.name ?? this.nameFor(address);
    if (before?.checksum !== checksum) {
      if (size > largest) throw new Error(`${text} has ${sizeText(size)}: queries in the browser read objects up to ${sizeText(largest)}`);
      onStep(`Reading ${text}, ${sizeText(size)}`);
      await this.#makeRoom(size - (before?.size ?? 0), inUse);
      const content = await (await send('getObject', { ...address }, { signal })).blob();
      if (before) await this.#engine.ask('dropFile', { name });
      await this.#engine.ask('addFile', { name, content });
    }
    // Now it is the one used last.
    this.#kept.delete(text);
    this.#kept.set(text, { name, checksum, size });
    return name;
  }

  async #makeRoom(more: number, inUse: ReadonlySet<string>): Promise<void> {
    let total = [...this.#kept.values()].reduce((sum, each) => sum + each.size, more);
    for (const [text, { name, size: freed }] of this.#kept) {
      if (total <= mostKept) return;
      if (inUse.has(text)) continue;
      await this.#engine.ask('dropFile', { name });
      this.#kept.delete(text);
      total -= freed;
    }
    if (total > mostKept) throw new Error(`queries in the browser read up to ${sizeText(mostKept)} at once: read fewer objects`);
  }
}

/** @throws Error when nothing, or too much, is there. */
async function matching({ repository, ref, path }: Address, signal: AbortSignal): Promise<readonly Entry[]> {
  const pattern = patternOf(path);
  const exact = async (): Promise<Entry> => (await ask('statObject', { repository, ref, path, user_metadata: false }, { signal })) as Entry;
  if (!pattern) return [await exact()];
  const found: Entry[] = [];
  for (let after = ''; ; ) {
    const page = (await ask('listObjects', { repository, ref, prefix: pattern.prefix, after, amount: 1000 }, { signal })) as {
      readonly results: readonly Entry[];
      readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
    };
    found.push(...page.results.filter(entry => pattern.glob.matches(entry.path)));
    if (found.length > mostMatches)
      throw new Error(`${addressText({ repository, ref, path })} stands for more than ${mostMatches} objects: narrow it down`);
    if (!page.pagination.has_more) break;
    after = page.pagination.next_offset;
  }
  // An object may have the name of a pattern.
  return found.length > 0 ? found : [await exact()];
}

/** Stores what a query wrote, uncommitted. @throws Error with what the server said. */
export async function store({ repository, ref, path }: Address, content: Blob, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': contentTypeOf(path) };
  await send('uploadObject', { repository, branch: ref, path, body: content }, { signal, headers });
}
