/** Which listed objects are garbage: old by name and by modification time, and named by nothing that stays. */
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '@srv/kernel';
import { namespaceOf, storageRoot, walkUri } from '@srv/lib-stores/block';
import { LineFile } from './line-file.js';
import { walk } from './listing.js';
import { objectAt, secondsOf } from './object-id.js';
import { lineOf, objectPages } from './object-lines.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/kernel';
import type { KeepSet } from './keep-set.js';
import type { ListedPart } from './listing-memory.js';
import type { ListedObject } from './object-lines.js';

interface GarbageRequest {
  readonly block: BlockStore;
  readonly repository: Repository;
  readonly keep: Pick<KeepSet, 'has' | 'isSettled' | 'generation'>;
  /** Milliseconds since 1970: objects named or modified later stay. */
  readonly cutoff: number;
  /** File of the garbage. */
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface GarbageFound {
  readonly listed: number;
  readonly young: number;
  readonly kept: number;
  readonly candidates: number;
  readonly candidateBytes: number;
  /** The parts, with what is known of them now. */
  readonly parts: readonly ListedPart[];
}

/** Objects between two pauses. */
const sliceObjects = 2000;

export async function findGarbage(parts: readonly ListedPart[], request: GarbageRequest): Promise<GarbageFound> {
  const found = new GarbageFile(request);
  const judged: ListedPart[] = [];
  try {
    for (const part of parts) {
      const isSettled = part.generation !== undefined && part.generation === request.keep.generation;
      judged.push(isSettled ? part : await judge(part, request, found));
      if (isSettled) found.kept += part.count;
    }
  } finally {
    await found.close();
  }
  const { young, kept, candidates, candidateBytes } = found;
  return { listed: parts.reduce((sum, { count }) => sum + count, 0), young, kept, candidates, candidateBytes, parts: judged };
}

/** The garbage found so far. */
class GarbageFile {
  young = 0;
  kept = 0;
  candidates = 0;
  candidateBytes = 0;
  readonly #cutoff: number;
  readonly #file: LineFile;

  constructor({ path, cutoff }: GarbageRequest) {
    this.#cutoff = cutoff;
    this.#file = new LineFile(path);
  }

  /** Adds objects that nothing keeps, unless they are young. */
  async add(objects: readonly ListedObject[]): Promise<void> {
    for (const object of objects) {
      if (object.modified >= this.#cutoff) {
        this.young++;
        continue;
      }
      this.candidates++;
      this.candidateBytes += object.size;
      this.#file.add(lineOf(object));
    }
    await this.#file.flush();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** @returns the part with what is known of it now. */
async function judge(part: ListedPart, request: GarbageRequest, found: GarbageFile): Promise<ListedPart> {
  const { keep, cutoff, signal } = request;
  let [seen, settled] = [0, 0];
  // Of one folder, as only stores with folders list names alone.
  const named = new Set<string>();
  for await (const page of objectPages(part.path)) {
    const garbage: ListedObject[] = [];
    for (const object of page) {
      if (++seen % sliceObjects === 0) {
        throwIfAborted(signal);
        await setImmediate();
      }
      const id = objectAt(object.key);
      if (id === undefined || secondsOf(id) * 1000 >= cutoff || object.modified >= cutoff) found.young++;
      else if (keep.isSettled(id)) settled++;
      else if (keep.has(id)) found.kept++;
      else if (object.modified === 0) named.add(object.key);
      else garbage.push(object);
    }
    await found.add(garbage);
  }
  found.kept += settled;
  if (named.size > 0) await addNamed(named, part, request, found);
  return { ...part, generation: settled === part.count ? keep.generation : undefined };
}

/** Looks at the objects of a folder of which only names are known. What has come since the folder was listed stays. */
async function addNamed(
  named: ReadonlySet<string>,
  { folder }: ListedPart,
  { block, repository, signal }: GarbageRequest,
  found: GarbageFile,
): Promise<void> {
  const root = storageRoot(block, namespaceOf(repository));
  for await (const page of walk(block, walkUri(block, namespaceOf(repository), folder), { signal, etags: false }))
    await found.add(
      page.flatMap(({ address, size, lastModified }) => {
        const key = address.slice(root.length);
        return named.has(key) ? [{ key, size, modified: lastModified.getTime() }] : [];
      }),
    );
}
