/** Brings one side of a linked directory to the state of the other, path by path. */

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  clientMtime,
  clientMtimeKey,
  downloadInto,
  fileAt,
  formatPermissions,
  heldSource,
  md5Of,
  md5OfFile,
  permissionsKey,
  regularSource,
  upload,
} from '@srv/engine/transfer';
import { forEachParallel, isAnswerError } from '@srv/lib-commands';
import { LinkedDirectory } from './directory.js';
import { MovedFiles } from './moved-files.js';
import { linkTarget, linkTargetKey } from './symbolic-links.js';
import type { Client, ObjectStats as ObjectRecord } from '@srv/engine/client';
import type { LocalEntry, PosixMode, PreSignMode, Source, UploadTarget } from '@srv/engine/transfer';
import type { PathUri, ProgressBar } from '@srv/lib-commands';
import type { PathState } from './compare.js';
import type { KnownContents } from './known-contents.js';
import type { RemoteEntry } from './remote-tree.js';
import type { Step } from './step.js';

export interface Counts {
  downloaded: number;
  uploaded: number;
  removed: number;
}

interface TransferSettings {
  readonly api: Client;
  readonly src: PathUri;
  readonly folder: string;
  readonly posix: PosixMode;
  /** Symbolic links are things of their own. */
  readonly links: boolean;
  /** Learns what was uploaded. */
  readonly contents: KnownContents;
  readonly parallelism: number;
  readonly preSign: PreSignMode;
  readonly progress: ProgressBar;
  readonly signal: AbortSignal;
  readonly attempts: number;
  /** One line per file. */
  readonly tell: (line: string) => void;
  readonly step: Step;
}

/** Times a file is sent that changes all the time. */
const uploadAttempts = 3;
/** Bytes per request of large objects. */
const partSize = 8_388_608;

export class Transfer {
  readonly counts: Counts = { downloaded: 0, uploaded: 0, removed: 0 };
  readonly #settings: TransferSettings;
  /** Cleared by the first 501: some servers do not support `If-Match`. */
  #conditions = true;

  constructor(settings: TransferSettings) {
    this.#settings = settings;
  }

  stop(): void {
    this.#settings.progress.stop();
  }

  /**
   * Makes the directory hold what `target` of each state says. Removals come first, since a file may take the place of a
   * folder or the reverse.
   * @param ref commit to download from.
   * @throws Error for a file that changed since the comparison; it stays unchanged.
   */
  async fetch(states: readonly PathState[], ref: string): Promise<void> {
    const { folder, posix, step, tell } = this.#settings;
    const directory = new LinkedDirectory(folder, posix);
    const keep = new Set(states.flatMap(({ target }) => (target?.path.endsWith('/') ? [target.path] : [])));
    // Deepest first, so that folders are empty when their turn comes.
    const gone = states.filter(state => !state.target && state.local).reverse();
    for (const { path, local } of gone) {
      this.#check();
      if (!local) continue;
      await step(`remove ${path}`);
      await directory.remove(local, keep);
      tell(`delete local: ${path}`);
      this.counts.removed++;
    }
    const wanted = states.flatMap(({ target, local }) => (target ? [{ target, local }] : []));
    for (const { target } of wanted.filter(w => w.target.path.endsWith('/'))) {
      this.#check();
      await step(`make ${target.path}`);
      await directory.makeFolder(target);
      this.counts.downloaded++;
    }
    const files = wanted.filter(w => !w.target.path.endsWith('/'));
    await this.#each(files, async ({ target, local }) => {
      await directory.replace(target, local?.kind === 'folder' ? undefined : local, file => this.#download(target, ref, file));
      tell(`download ${target.path}`);
      this.counts.downloaded++;
    });
  }

  async #download(entry: RemoteEntry, ref: string, file: string): Promise<void> {
    const { api, src, preSign, progress, signal, attempts, step } = this.#settings;
    progress.expect(entry.size);
    await step(`download ${entry.path}`);
    if (entry.link !== undefined) {
      await symlink(entry.link, file);
      return step(`replace ${entry.path}`);
    }
    const source = { repository: src.repository, ref, path: entry.object, size: entry.size };
    await downloadInto(source, file, { api, preSign, progress, signal, partSize, attempts });
    await step(`replace ${entry.path}`);
  }

  /** Makes the branch match the directory. @throws Error for a path that changed on either side since the comparison. */
  async send(states: readonly PathState[]): Promise<void> {
    const { api, src, step, tell } = this.#settings;
    const { repository, ref: branch } = src;
    const moved = new MovedFiles(states);
    const sent = states.flatMap(({ path, local, target }) => (local ? [{ path, local, target }] : []));
    await this.#each(sent, async ({ path, local, target }) => {
      await step(`upload ${path}`);
      if (!(await this.#copyMoved(local, target, moved))) await this.#upload(local, target);
      tell(`upload ${path}`);
      this.counts.uploaded++;
    });
    // Last: until here, what was moved can be copied.
    await this.#each(
      states.filter(({ local }) => local === undefined),
      async ({ path }) => {
        await step(`delete ${path}`);
        await api.deleteObject({ repository, branch, path: src.path + path });
        tell(`delete remote path: ${path}`);
        this.counts.removed++;
      },
    );
  }

  /** @returns whether the file was one that the branch has elsewhere, and has been copied there. */
  async #copyMoved(local: LocalEntry, replaced: RemoteEntry | undefined, moved: MovedFiles): Promise<boolean> {
    const { api, src, folder, posix, contents, signal } = this.#settings;
    if (local.kind !== 'file' || replaced !== undefined || !moved.mayHave(local.size)) return false;
    const since = Date.now();
    const md5 = contents.md5(local) ?? (await md5OfFile(join(folder, local.path), signal, local.size));
    const there = moved.find(local.size, md5);
    const target = { repository: src.repository, branch: src.ref, path: src.path + local.path };
    // Copying has no conditions: the next best is a check right before.
    if (!there || (await this.#stored(target)) !== undefined) return false;
    const { repository, branch, path } = target;
    const copied = await api.copyObject({ repository, branch, dest_path: path, body: { src_path: there.object, src_ref: branch } });
    const now = await fileAt(folder, local.path, this.#settings);
    // The object may have been replaced, or the file changed: it is sent then.
    if (md5Of(copied.checksum) !== md5 || now?.stamp !== local.stamp) {
      await this.#upload(local, { ...there, checksum: copied.checksum });
      return true;
    }
    if (clientMtime(copied.metadata) !== local.mtime || posix.enabled)
      await api.updateObjectUserMetadata({ repository, branch, path, body: { set: { ...copied.metadata, ...this.#metadataOf(local) } } });
    contents.learn(local, md5, since);
    return true;
  }

  /** A file that changes while it is sent is sent again: what is on the branch by then is ours, and would be in our way. */
  async #upload(local: LocalEntry, replaced: RemoteEntry | undefined): Promise<void> {
    let sent = local;
    let checksum = replaced?.checksum;
    for (let attempt = 1; ; attempt++) {
      const since = Date.now();
      checksum = await this.#uploadOnce(sent, checksum);
      if (local.kind === 'folder') return;
      const now = await fileAt(this.#settings.folder, local.path, this.#settings);
      if (now?.stamp === sent.stamp) {
        const stored = md5Of(checksum);
        if (stored !== undefined) this.#settings.contents.learn(sent, stored, since);
        return;
      }
      if (now === undefined || attempt === uploadAttempts)
        throw new Error(
          `${join(this.#settings.folder, local.path)} changed while it was uploaded; nothing was committed: run the command again`,
        );
      sent = now;
    }
  }

  /**
   * @param replaced checksum of the object that may be replaced; absent: there must be none.
   * @returns checksum of what is there now.
   */
  async #uploadOnce(local: LocalEntry, replaced: string | undefined): Promise<string> {
    const { api, src, folder, preSign, progress, signal } = this.#settings;
    const place = join(folder, local.path);
    const source: Source = local.kind === 'file' ? await regularSource(place, local.size) : heldSource(place, Buffer.alloc(0));
    const metadata = this.#metadataOf(local);
    const target: Target = { repository: src.repository, branch: src.ref, path: src.path + local.path };
    progress.expect(local.size);
    const send = async (condition: UploadCondition): Promise<string> => {
      try {
        return (await upload(source, { ...target, ...condition }, { api, preSign, progress, signal, metadata })).checksum;
      } catch (error) {
        if (!isAnswerError(error, 412)) throw error;
        return this.#checksumThere(target, place, local);
      }
    };
    if (replaced === undefined) return send({ 'If-None-Match': '*' });
    if (this.#conditions) {
      try {
        return await send({ 'If-Match': replaced });
      } catch (error) {
        if (!isAnswerError(error, 501)) throw error;
        this.#conditions = false;
        progress.expect(local.size);
      }
    }
    // The next best: a check of what is to be replaced, right before it is.
    if ((await this.#stored(target))?.checksum !== replaced) throw changedMeanwhile(target.path);
    return send({});
  }

  #metadataOf(local: LocalEntry): Readonly<Record<string, string>> {
    return {
      [clientMtimeKey]: String(local.mtime),
      ...(this.#settings.posix.enabled ? { [permissionsKey]: formatPermissions(local) } : {}),
      ...(local.link === undefined ? {} : { [linkTargetKey]: local.link }),
    };
  }

  /** A repeated request may meet what the first one wrote. @throws Error when another client wrote it. */
  async #checksumThere(target: Target, place: string, local: LocalEntry): Promise<string> {
    const stored = await this.#stored(target);
    if (stored && (await isWhatWasSent(stored, place, local))) return stored.checksum;
    throw changedMeanwhile(target.path);
  }

  /** What is on the branch; `undefined` when nothing is. */
  async #stored({ repository, branch: ref, path }: Target): Promise<ObjectRecord | undefined> {
    return this.#settings.api.statObject({ repository, ref, path }).catch((error: unknown) => {
      if (isAnswerError(error, 404)) return undefined;
      throw error;
    });
  }

  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    await forEachParallel(oneByOne(items), this.#settings.parallelism, async item => {
      this.#check();
      await work(item);
    });
  }

  #check(): void {
    this.#settings.signal.throwIfAborted();
  }
}

interface Target {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
}

type UploadCondition = Pick<UploadTarget, 'If-Match' | 'If-None-Match'>;

async function isWhatWasSent(stored: ObjectRecord, place: string, { kind, link }: LocalEntry): Promise<boolean> {
  if (kind === 'folder') return true;
  if (kind === 'link') return linkTarget(stored.metadata) === link;
  return md5Of(stored.checksum) === (await md5OfFile(place));
}

function changedMeanwhile(path: string): Error {
  return new Error(`${path} was changed on the branch meanwhile and was not touched; run the command again`);
}

async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
