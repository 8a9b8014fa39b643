/** A linked directory and everything commands need to work on it. */

import { join, resolve } from 'node:path';
import { preSignMode, walk } from '@srv/engine/transfer';
import { formatUri } from '@srv/lib-commands';
import { localConfig } from '../settings.js';
import { compareTrees } from './compare.js';
import { gitTopLevel } from './git.js';
import { writeIndex } from './index-file.js';
import { KnownContents } from './known-contents.js';
import { emptyTree, listTree } from './remote-tree.js';
import { sameness } from './sameness.js';
import { Transfer } from './transfer.js';
import type { Client } from '@srv/engine/client';
import type { PosixMode } from '@srv/engine/transfer';
import type { CommandContext, CommandInput, PathUri } from '@srv/lib-commands';
import type { LocalSettings } from '../settings.js';
import type { Comparison, PathState } from './compare.js';
import type { LocalIndex } from './index-file.js';
import type { RemoteTree } from './remote-tree.js';
import type { Step } from './step.js';

/** The directory an argument names. */
export function folderArgument({ home }: Pick<CommandContext, 'home'>, argument = '.'): string {
  return resolve(argument === '~' || argument.startsWith('~/') ? join(home, argument.slice(1)) : argument);
}

/** Where a search for linked directories begins: at the given directory, else at the current git work tree. */
export async function searchStart(context: Pick<CommandContext, 'home'>, argument: string | undefined): Promise<string> {
  const given = folderArgument(context, argument);
  return argument === undefined ? ((await gitTopLevel(given)) ?? given) : given;
}

export interface WorkspaceOptions {
  readonly folder: string;
  readonly src: PathUri;
  /** See `FoundIndex.syncedAt`; absent: nothing was there before now. */
  readonly syncedAt?: number | undefined;
  readonly input: CommandInput;
  readonly step?: Step | undefined;
}

export interface TreesToCompare {
  /** Commit; absent: nothing was there before. */
  readonly base?: string;
  /** Commit, or a branch with its uncommitted changes; absent: the same as `base`. */
  readonly target?: string | undefined;
  readonly outcome?: Comparison['outcome'];
  readonly thorough?: boolean;
}

export class Workspace {
  readonly context: CommandContext;
  readonly folder: string;
  readonly src: PathUri;
  readonly step: Step;
  readonly posix: PosixMode;
  /** Symbolic links are kept as such. */
  readonly links: boolean;
  readonly #input: CommandInput;
  readonly #settings: LocalSettings;
  readonly #syncedAt: number;
  /** Unix milliseconds, before the comparison began. */
  readonly #startedAt = Date.now();
  /** Opened at the first comparison. */
  #contents: Promise<KnownContents> | undefined;
  #told = false;

  static async open(context: CommandContext, options: WorkspaceOptions): Promise<Workspace> {
    return new Workspace(context, await context.configuration.read(localConfig), options);
  }

  private constructor(
    context: CommandContext,
    settings: LocalSettings,
    { folder, src, syncedAt, input, step = () => {} }: WorkspaceOptions,
  ) {
    this.context = context;
    this.folder = folder;
    this.src = src;
    this.step = step;
    this.#input = input;
    this.#settings = settings;
    this.#syncedAt = syncedAt ?? this.#startedAt;
    this.links = settings['local.symlink_support'];
    this.posix = {
      enabled: settings['experimental.local.posix_permissions.enabled'] && process.platform !== 'win32',
      uid: settings['experimental.local.posix_permissions.include_uid'],
      gid: settings['experimental.local.posix_permissions.include_gid'],
    };
  }

  client(): Promise<Client> {
    return this.context.client();
  }

  /** The id of a commit. */
  async commitOf(ref: string): Promise<string> {
    const api = await this.client();
    return (await api.getCommit({ repository: this.src.repository, commitId: ref })).id;
  }

  /** Paths on which not everybody agrees. */
  async *compare({ base, target, outcome, thorough = false }: TreesToCompare): AsyncGenerator<PathState> {
    const { context, folder, src, posix, links } = this;
    const tree: RemoteTree = {
      api: await this.client(),
      repository: src.repository,
      prefix: src.path,
      folder,
      folders: posix.enabled,
      links,
    };
    if (context.format === undefined && !this.#told)
      context.tell(`diff 'local://${folder}' <--> '${formatUri({ ...src, ref: target ?? base ?? src.ref })}'...`);
    this.#told = true;
    const contents = await this.#knownContents();
    yield* compareTrees({
      base: base === undefined ? emptyTree() : listTree(tree, base),
      target: target === undefined ? undefined : listTree(tree, target),
      thorough,
      outcome,
      local: walk(folder, { folders: posix.enabled, skipSpecial: this.#settings['local.skip_non_regular_files'], links }),
      ...sameness({ folder, posix, syncedAt: this.#syncedAt, contents, signal: context.signal }),
    });
    await contents.save();
  }

  async changes(trees: TreesToCompare): Promise<readonly PathState[]> {
    const states: PathState[] = [];
    for await (const state of this.compare(trees)) states.push(state);
    return states;
  }

  #knownContents(): Promise<KnownContents> {
    this.#contents ??= KnownContents.open(this.folder);
    return this.#contents;
  }

  /** Records that an operation has begun. */
  async mark(index: LocalIndex): Promise<void> {
    await this.step(`mark ${index.active?.name ?? 'nothing'}`);
    await writeIndex(this.folder, index, this.#syncedAt);
  }

  /** Notes that both sides are in step, or with `edited` that changed files are not uploaded yet. */
  async record(index: LocalIndex, { edited }: { readonly edited: boolean }): Promise<void> {
    await this.step('record');
    await (await this.#knownContents()).save();
    await writeIndex(this.folder, index, edited ? this.#syncedAt : this.#startedAt);
  }

  async transfer(title: string): Promise<Transfer> {
    const { context } = this;
    const { options } = this.#input;
    const api = await this.client();
    const hidden = options['no-progress'] === true;
    const lines = !hidden && context.format === undefined && !context.terminal.interactive;
    return new Transfer({
      api,
      src: this.src,
      folder: this.folder,
      posix: this.posix,
      links: this.links,
      contents: await this.#knownContents(),
      parallelism: context.parallelism(options.parallelism),
      preSign: await preSignMode(api, this.src.repository, options['pre-sign']),
      progress: context.progress(title, { hidden }),
      signal: context.signal,
      attempts: context.attempts,
      tell: lines || context.verbose ? context.tell : () => {},
      step: this.step,
    });
  }
}
