/**
 * Loads the action files of a ref. Committed files are cached by metarange, so that an event of a branch without changes to
 * its action files costs one read of the branch; a changed file counts at once.
 */

import { actionFolders } from '@srv/engine/objects/action-files';
import { messageOf } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { checkActionFile } from '../files/parse.js';
import { withoutNamesakes } from '../files/selection.js';
import type { Engine, Entry, Repository } from '@srv/engine/contract';
import type { HookTypes, ParsedFile } from '../files/action-file.js';
import type { LoadedFile } from '../files/selection.js';
import type { YamlReader } from './yaml-reader.js';

/** Bytes of an action file; a larger one is refused. */
export const fileLimit = 2 ** 18;
/** @bound refs whose action files are remembered, and files */
const remembered = 500;
/** Files read at the same time. */
const parallel = 8;
const pageAmount = 1000;

/** The folders in byte order: everything of them lies from the first name to the end of the last one. */
const folders = actionFolders.toSorted();
const first = Buffer.from(folders[0] ?? '');
const end = Buffer.from((folders.at(-1) ?? '').replace(/\/$/, '0'));

interface ActionSourceOptions {
  readonly engine: Pick<Engine, 'getRepository' | 'list' | 'open' | 'committedPart' | 'view'>;
  readonly hookTypes: HookTypes;
  readonly yaml: YamlReader;
}

/** Action files of a ref. */
export interface LoadedActions {
  readonly files: readonly LoadedFile[];
  /** Metarange whose files they are; absent: uncommitted ones may be among them. */
  readonly metarangeId?: string;
}

type TextFile = LoadedFile & { readonly text: string };

export class ActionSource {
  readonly #options: ActionSourceOptions;
  readonly #committed = new LRUCache<string, readonly LoadedFile[]>({ max: remembered });
  readonly #parsed = new LRUCache<string, { readonly text: string; readonly parsed: ParsedFile }>({
    max: remembered,
    maxSize: 128 * fileLimit,
    sizeCalculation: ({ text }) => text.length + 1,
  });

  constructor(options: ActionSourceOptions) {
    this.#options = options;
  }

  /** @throws SrvError of the engine: unknown ref, unreachable storage. */
  async load(repositoryId: string, ref: string): Promise<LoadedActions> {
    const repository = await this.#options.engine.getRepository(repositoryId);
    const metarangeId = await this.#committedMetarange(repository, ref);
    if (metarangeId === undefined) return { files: await this.#read(repository, ref) };
    const known = this.#committed.get(cacheKey(repository, metarangeId));
    if (known) return { files: known, metarangeId };
    const files = await this.#read(repository, ref);
    // The ref may have moved while its files were read.
    if ((await this.#committedMetarange(repository, ref)) !== metarangeId) return { files };
    this.#keep(repository, metarangeId, files);
    return { files, metarangeId };
  }

  /** Files that could not be read are read again the next time. */
  #keep(repository: Repository, metarangeId: string, files: readonly LoadedFile[]): void {
    if (files.some(({ parsed }) => parsed.problems.some(({ message }) => message.startsWith(unreadable)))) return;
    this.#committed.set(cacheKey(repository, metarangeId), files);
  }

  /** Metarange that holds all action files of the ref; `undefined` when uncommitted changes are among them. */
  async #committedMetarange(repository: Repository, ref: string): Promise<string | undefined> {
    const { metarangeId, uncommitted } = await this.#options.engine.committedPart(repository, ref, first);
    return uncommitted === undefined || Buffer.compare(uncommitted, end) >= 0 ? metarangeId : undefined;
  }

  async #read(repository: Repository, ref: string): Promise<readonly LoadedFile[]> {
    if (!(await this.#hasAny(repository, ref))) return [];
    const entries: Entry[] = [];
    for (const folder of folders) entries.push(...(await this.#entries(repository, ref, folder)));
    const files: TextFile[] = [];
    for (let at = 0; at < entries.length; at += parallel)
      files.push(...(await Promise.all(entries.slice(at, at + parallel).map(entry => this.#file(repository, entry)))));
    return withoutNamesakes(files);
  }

  /** Reads the first key that could be an action file: most refs have none. */
  async #hasAny(repository: Repository, ref: string): Promise<boolean> {
    const view = await this.#options.engine.view(repository, ref);
    try {
      await view.seek(first);
      return view.current !== undefined && Buffer.compare(view.current.key, end) < 0;
    } finally {
      view.close();
    }
  }

  /** Folders, folder markers and hidden files are not action files. */
  async #entries({ id }: Repository, ref: string, folder: string): Promise<Entry[]> {
    const found: Entry[] = [];
    for (let after = ''; ; ) {
      const page = await this.#options.engine.list(id, ref, { prefix: folder, delimiter: '/', amount: pageAmount, after });
      for (const item of page.results)
        if (item.kind === 'object' && item.path !== folder && !item.path.startsWith(`${folder}.`)) found.push(item.entry);
      if (!page.hasMore) return found;
      after = page.nextOffset;
    }
  }

  async #file(repository: Repository, entry: Entry): Promise<TextFile> {
    const { path } = entry;
    if (entry.size > fileLimit)
      return broken(
        path,
        `${unreadable} ${path}: ${entry.size} bytes are more than ${fileLimit}`,
        'keep long scripts in files of their own',
      );
    // An object of this installation never changes; one that lies elsewhere may.
    const cacheable = entry.addressType !== identifierType.full;
    const name = JSON.stringify([entry.physicalAddress, entry.etag, entry.size]);
    const known = cacheable ? this.#parsed.get(name) : undefined;
    if (known) return { path, ...known };
    let text: string;
    try {
      text = await this.#text(repository, entry);
    } catch (error) {
      return broken(path, `${unreadable} ${path}: ${messageOf(error)}`, 'upload the file again, or delete it');
    }
    const parsed = { text, parsed: checkActionFile(await this.#options.yaml.read(text), this.#options.hookTypes) };
    if (cacheable) this.#parsed.set(name, parsed);
    return { path, ...parsed };
  }

  async #text({ id }: Repository, entry: Entry): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of await this.#options.engine.open(id, entry)) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      // An object that lies elsewhere may have grown.
      if (length > fileLimit) throw new Error(`more than ${fileLimit} bytes`);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

const unreadable = 'getting action file';

function broken(path: string, message: string, remedy: string): TextFile {
  return { path, text: '', parsed: { name: '', problems: [{ message, line: 1, remedy }] } };
}

/** Namespaces differ between a repository and a deleted one of its name. */
function cacheKey(repository: Pick<Repository, 'id' | 'storageNamespace' | 'storageId'>, metarangeId: string): string {
  return JSON.stringify([repository.id, namespaceOf(repository), metarangeId]);
}
