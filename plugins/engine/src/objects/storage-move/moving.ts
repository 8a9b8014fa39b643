/** The work of a move: each step may be repeated, on any server. README.md says why nothing is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, messageOf } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { hasBranch } from '../has-branch.js';
import { claimNamespace } from '../namespace-check.js';
import { at, copyNamespace, hasSize, isUnchangedSince } from './copy-namespace.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository } from '../../refs/contract.js';
import type { Refs } from '../../refs/service.js';
import type { CopyRequest } from './copy-namespace.js';
import type { MoveRecord, MoveRecords } from './move-record.js';

export interface MovingOptions {
  readonly refs: Refs;
  readonly block: BlockStore;
  readonly moves: MoveRecords;
  readonly log: Logger;
  /** Milliseconds until every server has read a repository that changed. */
  readonly noticeMs: number;
  readonly checkRootNamespace: boolean;
}

/** Milliseconds between two notes of the progress. */
const notePeriod = 1000;

export class Moving {
  readonly #options: MovingOptions;
  readonly #repository: Repository;
  readonly #signal: AbortSignal;
  #record: MoveRecord;
  readonly #counts: { compared: number; copied: number; copiedBytes: number };
  #notedAt = performance.now();

  /** @param repository as it is now. */
  constructor(options: MovingOptions, repository: Repository, record: MoveRecord, signal: AbortSignal) {
    this.#options = options;
    this.#repository = repository;
    this.#record = record;
    this.#counts = { compared: 0, copied: record.copied, copiedBytes: record.copiedBytes };
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { refs } = this.#options;
    // The collector removes nothing meanwhile, neither here nor there.
    await refs.withPins(this.#repository, { everything: true }, async () => {
      const isThere = namespaceOf(this.#repository) === namespaceOf(this.#record.to);
      const moved = isThere ? this.#repository : await this.#relocate();
      await this.#finish(moved);
    });
  }

  async #relocate(): Promise<Repository> {
    const { refs } = this.#options;
    const { id, startedAt, to } = this.#record;
    await this.#claim();
    await this.#begin('copying');
    await this.#copy(hasSize);
    await this.#requireContents();
    await this.#begin('switching');
    try {
      await refs.storageFreeze.freeze(this.#repository, id);
      // What no branch holds, such as rules in files, is refused by servers that know of the freeze.
      await this.#notice();
      await this.#copy(isUnchangedSince(startedAt));
      await this.#requireContents();
      return await refs.storageFreeze.relocateRepository(this.#repository, id, to);
    } catch (error) {
      await this.#release();
      throw error;
    }
  }

  /** Storage that is away, such as a bucket or a mounted folder, may list nothing rather than fail. */
  async #requireContents(): Promise<void> {
    // A repository that awaits its branches has nothing that must be there.
    if (this.#counts.compared > 0 || !(await hasBranch(this.#options.refs, this.#repository, this.#repository.defaultBranch))) return;
    const { repository, from } = this.#record;
    throw new SrvError(
      'unavailable',
      `nothing is in ${from.storageNamespace}, the storage namespace of repository ${repository}: the repository stays there; make the bucket or folder available again and continue the move`,
    );
  }

  /** The repository takes changes again while the move waits to be continued. */
  async #release(): Promise<void> {
    const { refs, moves, log } = this.#options;
    const { id, runner, repository } = this.#record;
    try {
      if ((await moves.find(this.#repository))?.runner !== runner) return;
      await refs.storageFreeze.thaw(this.#repository, id);
      await moves.changeAs(this.#repository, runner, { phase: 'copying' });
    } catch (error) {
      log.error({ repository, error: messageOf(error) }, 'a repository whose move has failed stays frozen; continue the move or abort it');
    }
  }

  /** Servers that still read at the old place find everything there until they have noticed, since nothing is new. */
  async #finish(repository: Repository): Promise<void> {
    const { refs, block } = this.#options;
    const { id, to } = this.#record;
    await this.#begin('finishing');
    await this.#notice();
    // Such as logs of actions that were written meanwhile.
    await this.#copy(() => true);
    await refs.storageFreeze.unfreeze(repository, id);
    await block.remove(at(namespaceOf(to), this.#reservation));
    await this.#note({ phase: 'done', error: '' });
  }

  /** Marks the target as taken. */
  async #claim(): Promise<void> {
    const { block, log, checkRootNamespace } = this.#options;
    const { id, folder, isClaimed, to } = this.#record;
    if (isClaimed) return;
    const pointer = at(namespaceOf(to), this.#reservation);
    const reservation = { isMade: () => block.exists(pointer), make: () => block.put(pointer, Buffer.from(id)) };
    const options = { block, log, prefix: folder, checkRoot: checkRootNamespace, task: 'move repository', reservation };
    await claimNamespace(namespaceOf(to), options);
    await this.#note({ isClaimed: true });
  }

  get #reservation(): string {
    return `${this.#record.folder}/move-${this.#record.id}`;
  }

  async #copy(isThere: CopyRequest['isThere']): Promise<void> {
    const { from, to } = this.#record;
    await copyNamespace({
      block: this.#options.block,
      from: namespaceOf(from),
      to: namespaceOf(to),
      signal: this.#signal,
      isThere,
      onProgress: bytes => this.#count(bytes),
    });
    await this.#note({});
  }

  #count(bytes: number | undefined): Promise<void> | undefined {
    if (bytes === undefined) this.#counts.compared++;
    else {
      this.#counts.copied++;
      this.#counts.copiedBytes += bytes;
    }
    return performance.now() - this.#notedAt < notePeriod ? undefined : this.#note({});
  }

  async #begin(phase: MoveRecord['phase']): Promise<void> {
    this.#counts.compared = 0;
    await this.#note({ phase });
  }

  /** Ends the move here when it was aborted or taken over. */
  async #note(change: Partial<MoveRecord>): Promise<void> {
    const { moves } = this.#options;
    this.#notedAt = performance.now();
    this.#record = await moves.changeAs(this.#repository, this.#record.runner, { ...this.#counts, ...change });
  }

  /** Waits until every server has noticed what changed of the repository. */
  async #notice(): Promise<void> {
    await sleep(this.#options.noticeMs, undefined, { signal: this.#signal });
  }
}
