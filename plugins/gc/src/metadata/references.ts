/**
 * Which metadata files something still names: every commit, whatever its age, every other record of the repository, the
 * manifest of the last dump, dumps themselves, and files that are too young to be judged. Only ever grows.
 */

import { setAsideFolder } from '@srv/engine/contract';
import { throwIfAborted } from '@srv/kernel';
import { inParallel, namespaceOf } from '@srv/lib-stores/block';
import { commitsOf } from '../mark/repository-state.js';
import { unreadableCommit } from '../mark/unreadable-commit.js';
import { factsOf, filesIn } from './metadata-files.js';
import { namedByManifest, namedByRecords } from './named-files.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore, KvStore } from '@srv/kernel';
import type { FileFacts, MetadataFile } from './metadata-files.js';

/** Metaranges whose index is read at a time, and files that are read whole: memory holds these. */
const [indexesAtOnce, filesAtOnce] = [16, 4];

export interface MetadataSources {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
}

interface ReferenceRequest {
  readonly repository: Repository;
  /** Folder of the namespace's metadata files. */
  readonly folder: string;
  /** Milliseconds since 1970: files modified later stay, and what they name. */
  readonly cutoff: number;
  readonly signal: AbortSignal;
}

export class MetadataReferences {
  readonly #request: ReferenceRequest;
  readonly #sources: MetadataSources;
  /** Files at their place, and those set aside. */
  readonly files = new Map<string, MetadataFile>();
  readonly aside = new Map<string, MetadataFile>();
  readonly #isFile = (id: string): boolean => this.files.has(id) || this.aside.has(id);
  readonly #kept = new Set<string>();
  /** Commits whose ranges are known. */
  readonly #metaranges = new Set<string>();
  /** Files whose names are kept. */
  readonly #opened = new Set<string>();

  private constructor(request: ReferenceRequest, sources: MetadataSources) {
    this.#request = request;
    this.#sources = sources;
  }

  /** Lists the files first, then finds out what is named: what is published meanwhile is seen. */
  static async read(request: ReferenceRequest, sources: MetadataSources): Promise<MetadataReferences> {
    const found = new MetadataReferences(request, sources);
    const { repository, folder, signal } = request;
    const options = { block: sources.block, signal };
    for await (const page of filesIn(repository, folder, options)) for (const file of page) found.files.set(file.id, file);
    for await (const page of filesIn(repository, `${folder}/${setAsideFolder}`, options))
      for (const file of page) found.aside.set(file.id, file);
    await found.refresh();
    await found.#judgeOthers();
    return found;
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** Files that nothing names and that are old enough. */
  unreferenced(): MetadataFile[] {
    return [...this.files.values()].filter(({ id, modified }) => modified < this.#request.cutoff && !this.has(id));
  }

  /** Adds what records name by now. @throws SrvError when a metarange of a commit is missing: then nothing is known. */
  async refresh(): Promise<void> {
    const { repository, signal } = this.#request;
    const { kv, committed } = this.#sources;
    const metaranges = new Set([...(await commitsOf(kv, repository)).values()].map(commit => commit.metarangeId));
    const fresh: string[] = [];
    for (const id of await namedByRecords(kv, repository, this.#isFile)) if (!this.#kept.has(id)) fresh.push(id);
    for (const id of await namedByManifest(repository, this.#sources, this.#isFile)) fresh.push(id);
    const unknown = [...metaranges].filter(id => id !== '' && !this.#metaranges.has(id));
    await inParallel(unknown, indexesAtOnce, async id => {
      throwIfAborted(signal);
      this.#kept.add(id);
      try {
        for await (const page of committed.ranges(namespaceOf(repository), id)) for (const range of page) this.#kept.add(range.id);
      } catch (error) {
        throw await unreadableCommit(kv, repository, id, error);
      }
      this.#metaranges.add(id);
    });
    await this.#keep(fresh);
  }

  /** Keeps files and all they name. */
  async #keep(ids: readonly string[]): Promise<void> {
    for (const waiting = [...ids]; waiting.length > 0; ) {
      const id = waiting.pop() ?? '';
      this.#kept.add(id);
      if (this.#metaranges.has(id) || this.#opened.has(id)) continue;
      this.#opened.add(id);
      const facts = await this.#facts(id);
      if (facts) for (const name of facts.names) if (!this.#opened.has(name)) waiting.push(name);
    }
  }

  /** Dumps, files of other programs and young files stay though no record names them. */
  async #judgeOthers(): Promise<void> {
    const others = [...this.files.values()].filter(({ id }) => !this.#kept.has(id));
    // What young files name matters only to old ones that nothing else names.
    if (this.aside.size === 0 && others.every(({ modified }) => modified >= this.#request.cutoff)) return;
    await inParallel(others, filesAtOnce, async ({ id, modified }) => {
      if (this.#kept.has(id)) return;
      const facts = modified < this.#request.cutoff ? await this.#facts(id) : 'young';
      if (facts === undefined || facts === 'young' || facts.isDump) await this.#keep([id]);
    });
  }

  async #facts(id: string): Promise<FileFacts | undefined> {
    const { repository, folder, signal } = this.#request;
    throwIfAborted(signal);
    const places = [...(this.files.has(id) ? [folder] : []), ...(this.aside.has(id) ? [`${folder}/${setAsideFolder}`] : [])];
    for (const place of places) {
      const facts = await factsOf(repository, `${place}/${id}`, this.#sources.block, this.#isFile);
      if (facts) return facts;
    }
    return undefined;
  }
}
