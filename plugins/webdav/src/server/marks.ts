/**
 * A move, and a copy over a folder, are several changes: first everything is copied, then what it leaves or replaces is removed.
 * What is to be removed has a mark of the request in its metadata. An object that has lost it was written or taken by another
 * request meanwhile, and stays.
 */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { inParallel } from '@srv/lib-stores/block';
import type { Entry } from '@srv/engine/contract';
import type { DavContext } from './context.js';
import type { Resource, Tree } from './tree.js';

/** Name of the metadata. */
const markKey = 'Webdav-Move';
/** Objects marked or removed at a time. */
const parallel = 16;
/** How often an object that others write meanwhile is marked. */
const tries = 3;

type Metadata = Readonly<Record<string, string>>;

export function withoutMark(metadata: Metadata): Metadata {
  const { [markKey]: _, ...others } = metadata;
  return others;
}

export class Marks {
  readonly #context: DavContext;
  /** Of this request alone. */
  readonly #mark: string;

  constructor(context: DavContext, mark: string) {
    this.#context = context;
    this.#mark = mark;
  }

  /** @returns the object as it is with the mark. @throws SrvError `not_found`, `conflict`. */
  async add(tree: Tree, path: string): Promise<Entry> {
    for (let left = tries; left > 0; left--) {
      await this.#context.engine.setObjectMetadata(tree.repository, tree.ref, path, metadata => ({ ...metadata, [markKey]: this.#mark }));
      const entry = await tree.findEntry(path);
      if (entry && this.#isOn(entry)) return entry;
    }
    throw new SrvError('conflict', `${path} was changed by other requests meanwhile; repeat the operation`);
  }

  /** Marks a file, or the objects of a folder. */
  addAll(tree: Tree, resource: Resource): Promise<void> {
    return eachObject(tree, resource, async ({ path }) => {
      await this.add(tree, path).catch(unlessGone);
    });
  }

  /** Removes a file, or the objects of a folder, if they still have the mark. */
  async removeMarked(tree: Tree, resource: Resource): Promise<void> {
    const { engine, scratch } = this.#context;
    if (resource.kind === 'file' && 'scratch' in resource.source) await scratch.remove(tree.scratchPlace(resource.path));
    await eachObject(tree, resource, async entry => {
      if (this.#isOn(entry)) await engine.deleteObjectIf(tree.repository, tree.ref, entry.path, now => this.#isOn(now)).catch(unlessGone);
    });
  }

  /** Takes the mark off again, after a failure, which matters more than one of this. */
  async takeOff(tree: Tree, resource: Resource): Promise<void> {
    const { engine, log } = this.#context;
    const change = (metadata: Metadata): Metadata => (metadata[markKey] === this.#mark ? withoutMark(metadata) : metadata);
    try {
      await eachObject(tree, resource, async entry => {
        if (this.#isOn(entry)) await engine.setObjectMetadata(tree.repository, tree.ref, entry.path, change).catch(unlessGone);
      });
    } catch (error) {
      log.warn({ path: resource.path, error: messageOf(error) }, 'marks of a failed move stay in the metadata of objects');
    }
  }

  #isOn({ metadata }: Pick<Entry, 'metadata'>): boolean {
    return metadata[markKey] === this.#mark;
  }
}

async function eachObject(tree: Tree, { kind, path }: Resource, work: (entry: Entry) => Promise<void>): Promise<void> {
  if (kind === 'file') {
    const entry = await tree.findEntry(path);
    if (entry) await work(entry);
  } else for await (const page of tree.objectsBelow(path)) await inParallel(page, parallel, work);
}

/** Another request was quicker: then nothing is left to do. */
function unlessGone(error: unknown): void {
  if (!isSrvError(error, 'not_found', 'precondition_failed')) throw error;
}
