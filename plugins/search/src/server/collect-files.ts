/**
 * Garbage of an index: what was made of commits that nothing keeps, and files that no snapshot names. Before every batch, what stays
 * is determined again. A file that is removed while an indexer is about to name it is missed later, and the index is made again.
 */
import { isSrvError, messageOf, throwIfAborted } from '@srv/kernel';
import { MissingIndexFile, filesOf } from '../index/index-files.js';
import type { FileCollection } from '@srv/engine/contract';
import type { IndexFile, IndexFiles } from '../index/index-files.js';

/** Files of one batch. */
const batchSize = 1000;
const snapshotFolder = 'commits/';

export async function collectIndexFiles(collection: FileCollection, files: IndexFiles): Promise<void> {
  const { repository, cutoff, signal } = collection;
  const reached = new ReachedFiles(collection, files);
  await reached.refresh();
  const isGarbage = ({ name, lastModified }: IndexFile): boolean => lastModified < cutoff && !reached.has(name);
  let batch: IndexFile[] = [];
  const remove = async (): Promise<void> => {
    const garbage = batch;
    batch = [];
    if (garbage.length === 0) return;
    await collection.remove(garbage, async () => {
      await reached.refresh();
      return garbage.filter(isGarbage);
    });
    files.forget();
  };
  for await (const file of files.list(repository, '', signal)) {
    if (!isGarbage(file)) continue;
    batch.push(file);
    if (batch.length < batchSize) continue;
    throwIfAborted(signal);
    await remove();
  }
  await remove();
}

/** Names of files that snapshots of kept commits reach, with the snapshots. */
class ReachedFiles {
  readonly #collection: FileCollection;
  readonly #files: IndexFiles;
  readonly #names = new Set<string>();
  /** Metaranges of snapshots that nothing keeps yet, by name of the file. */
  readonly #waiting = new Map<string, string>();
  readonly #unreadable = new Set<string>();

  constructor(collection: FileCollection, files: IndexFiles) {
    this.#collection = collection;
    this.#files = files;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Finds what has been made since, and what is kept now. */
  async refresh(): Promise<void> {
    const { repository, cutoff, signal } = this.#collection;
    const { metaranges } = await this.#collection.kept();
    for await (const { name, lastModified } of this.#files.list(repository, snapshotFolder, signal)) {
      if (this.#names.has(name) || this.#unreadable.has(name)) continue;
      const metarange = this.#waiting.get(name);
      const isYoung = lastModified >= cutoff;
      if (metarange !== undefined && !isYoung && !metaranges.has(metarange)) continue;
      throwIfAborted(signal);
      await this.#reach(name, { isYoung, metaranges });
    }
  }

  async #reach(
    name: string,
    { isYoung, metaranges }: { readonly isYoung: boolean; readonly metaranges: ReadonlySet<string> },
  ): Promise<void> {
    try {
      const snapshot = await this.#files.readSnapshot(this.#collection.repository, name.slice(snapshotFolder.length));
      const { metarange } = snapshot;
      // An empty commit has no metarange.
      if (!isYoung && metarange !== '' && !metaranges.has(metarange)) {
        this.#waiting.set(name, metarange);
        return;
      }
      this.#waiting.delete(name);
      this.#names.add(name);
      for (const file of filesOf(snapshot)) this.#names.add(file);
    } catch (error) {
      // Another server has removed it meanwhile.
      if (error instanceof MissingIndexFile) return;
      if (!isSrvError(error, 'corrupt')) throw error;
      this.#unreadable.add(name);
      this.#names.add(name);
      this.#collection.report(`${messageOf(error)}; the file stays`);
    }
  }
}
