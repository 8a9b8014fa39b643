/** The objects of a namespace, listed into files: memory does not grow with their number. */
import { join } from 'node:path';
import { isSrvError } from '@srv/kernel';
import { namespaceOf, storageRoot, walkUri } from '@srv/lib-stores/block';
import { LineFile } from './line-file.js';
import { objectAt } from './object-id.js';
import { lineOf } from './object-lines.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore, WalkOptions } from '@srv/lib-stores/block';
import type { ListedPart, ListingMemory } from './listing-memory.js';

interface Listing {
  /** In order of keys. */
  readonly parts: readonly ListedPart[];
  /** Objects of a name that no object of this product has; they are never touched. */
  readonly strange: number;
  /** First folder below the data folder. */
  readonly firstSlice: string;
}

interface ListingRequest {
  readonly block: BlockStore;
  readonly repository: Repository;
  /** Folder of the run. */
  readonly folder: string;
  readonly memory: ListingMemory;
  readonly signal: AbortSignal;
  readonly note: (listed: number) => void;
}

const dataFolder = 'data/';

/** Lists `data/`. Where looking at every object costs more than its name, names are listed. */
export async function listObjects({ block, repository, folder, memory, signal, note }: ListingRequest): Promise<Listing> {
  const root = storageRoot(block, namespaceOf(repository));
  const parts: ListedPart[] = [];
  const states = new Map<string, string>();
  let open: OpenPart | undefined;
  let [listed, strange] = [0, 0];
  let firstKey = '';
  const isKnown = (below: string, state: string): boolean => {
    const key = dataFolder + below;
    states.set(key, state);
    const part = memory.find(key, state);
    if (part) parts.push(part);
    listed += part?.count ?? 0;
    return part !== undefined;
  };
  const close = async (): Promise<void> => {
    if (open) parts.push({ ...(await open.end()), state: states.get(open.folder) });
    open = undefined;
  };
  try {
    for await (const page of walk(block, walkUri(block, namespaceOf(repository), dataFolder), {
      signal,
      etags: false,
      facts: false,
      isKnown,
    })) {
      for (const { address, size, lastModified } of page) {
        listed++;
        const key = address.slice(root.length);
        firstKey ||= key;
        if (objectAt(key) === undefined || /[\t\n]/.test(key)) {
          strange++;
          continue;
        }
        // One file for each folder where folders have states, else one for all.
        const place = states.size > 0 ? key.slice(0, key.lastIndexOf('/') + 1) : '';
        if (open?.folder !== place) {
          await close();
          open = new OpenPart(place, join(folder, `listed.${parts.length}`));
        }
        open.add(lineOf({ key, size, modified: lastModified.getTime() }));
      }
      await open?.drained();
      note(listed);
    }
  } finally {
    await close();
  }
  parts.sort((a, b) => Buffer.compare(Buffer.from(a.folder), Buffer.from(b.folder)));
  const first = parts[0]?.folder;
  return {
    parts: parts.map((part, i) => (isDivided(parts, i) ? { ...part, state: undefined } : part)),
    strange,
    firstSlice: (first || firstKey).split('/')[1] ?? '',
  };
}

/** Whether another part is of the same folder, as a folder below it came in between: only together they are all of it. */
function isDivided(parts: readonly ListedPart[], i: number): boolean {
  const folder = parts[i]?.folder;
  return parts[i - 1]?.folder === folder || parts[i + 1]?.folder === folder;
}

/** A file of lines being written. */
class OpenPart {
  readonly folder: string;
  readonly #path: string;
  readonly #file: LineFile;
  #count = 0;

  constructor(folder: string, path: string) {
    this.folder = folder;
    this.#path = path;
    this.#file = new LineFile(path);
  }

  add(line: string): void {
    this.#count++;
    this.#file.add(line);
  }

  async drained(): Promise<void> {
    await this.#file.flush();
  }

  async end(): Promise<ListedPart> {
    await this.#file.close();
    return { folder: this.folder, path: this.#path, count: this.#count };
  }
}

/** A namespace without a data folder holds no objects. */
export async function* walk(block: BlockStore, uri: string, options: WalkOptions): ReturnType<BlockStore['walk']> {
  try {
    yield* block.walk(uri, options);
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
}
