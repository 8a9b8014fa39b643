/** Moves of repositories to other storage namespaces: starting, continuing and aborting them. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { signExpiry, xid } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { checkNamespaceForm, checkOverlap, checkStorageId } from '../namespace-check.js';
import { hasEnded } from './move-record.js';
import { Moving } from './moving.js';
import type { Engine } from '../../contract.js';
import type { Repository, RepositoryName } from '../../refs/contract.js';
import type { CommittedStore } from '../../tables/contract.js';
import type { StorageMove, StoragePlace } from '../contract.js';
import type { Tasks } from '../tasks.js';
import type { MoveRecord } from './move-record.js';
import type { MovingOptions } from './moving.js';

interface StorageMovesOptions extends MovingOptions {
  readonly tables: Pick<CommittedStore, 'folderOf'>;
  readonly tasks: Tasks;
}

/** In place of the id of a task: none works on the move. */
const noTask = 'none';

export function createStorageMoves(options: StorageMovesOptions) {
  const storageMoves = new StorageMoves(options);
  return {
    startStorageMove: (repository, to) => storageMoves.start(repository, to),
    storageMove: repository => storageMoves.get(repository),
    movingRepositories: () => options.moves.targets(),
    abortStorageMove: repository => storageMoves.abort(repository),
    continueStorageMoves: signal => storageMoves.continueAll(signal),
  } satisfies Partial<Engine>;
}

class StorageMoves {
  readonly #options: StorageMovesOptions;

  constructor(options: StorageMovesOptions) {
    this.#options = options;
  }

  async start(name: RepositoryName, to: StoragePlace | undefined): Promise<StorageMove> {
    const { moves, tasks } = this.#options;
    const repository = await this.#current(name);
    const last = await moves.find(repository);
    const next = last && !hasEnded(last.phase) ? await this.#continued(repository, last, to) : await this.#begun(repository, to, last);
    const record = await moves.change(repository, now => {
      if (now?.runner === last?.runner) return next;
      throw new SrvError('conflict', `another move of repository ${repository.id} has begun just now`);
    });
    const task = await tasks.submit(repository, 'move_storage', async (_, signal) => {
      await this.#work(repository, record, signal);
      return Buffer.alloc(0);
    });
    return this.#present(repository, await moves.changeAs(repository, record.runner, { task }));
  }

  async get(name: RepositoryName): Promise<StorageMove> {
    const repository = await this.#current(name);
    const record = await this.#options.moves.find(repository);
    if (!record) throw noMove(repository);
    return this.#present(repository, record);
  }

  async abort(name: RepositoryName): Promise<StorageMove> {
    const { moves } = this.#options;
    const repository = await this.#current(name);
    const record = await moves.find(repository);
    if (!record || hasEnded(record.phase)) throw noMove(repository);
    const { runner } = await moves.change(repository, now => {
      if (now?.id !== record.id || hasEnded(now.phase)) throw noMove(repository);
      return { ...now, phase: 'aborting', runner: xid(), task: noTask };
    });
    // Now the move, where it still runs, ends with its next note. The record of the repository decides who was first.
    const hasMoved = namespaceOf(repository) === namespaceOf(record.to);
    const now = hasMoved ? repository : await this.#thawed(repository, record);
    if (namespaceOf(now) !== namespaceOf(record.to))
      return this.#present(now, await moves.changeAs(repository, runner, { phase: 'aborted' }));
    await moves.changeAs(repository, runner, { phase: 'finishing' });
    throw new SrvError('conflict', `repository ${now.id} has moved already; continue the move to its end`);
  }

  async continueAll(signal?: AbortSignal): Promise<void> {
    const { moves, log } = this.#options;
    for await (const record of moves.all()) {
      const { repository, phase } = record;
      if (signal?.aborted) return;
      try {
        if (!(await this.#hasBrokenOff(record))) continue;
        if (phase === 'aborting') await this.abort(repository);
        else await this.start(repository, undefined);
        log.info({ repository, phase }, 'a move to another storage namespace that had broken off continues');
      } catch (error) {
        // Another server was faster, or the move has just ended.
        if (signal?.aborted || isSrvError(error, 'conflict', 'not_found')) continue;
        log.warn({ repository, phase, error: messageOf(error) }, 'a move that broke off was not continued; it will be tried again');
      }
    }
  }

  /** Whether its server died or stopped. @throws SrvError `not_found`. */
  async #hasBrokenOff(record: MoveRecord): Promise<boolean> {
    const { repository, instanceUid, phase, updatedAt, error } = record;
    if (hasEnded(phase) || error !== '') return false;
    if (phase === 'aborting' && Date.now() - updatedAt.getTime() < signExpiry) return false;
    const current = await this.#current(repository);
    return current.instanceUid === instanceUid && !(await this.#isRunning(current, record));
  }

  /** The record of a repository as it is now. */
  async #current(name: RepositoryName): Promise<Repository> {
    const { refs } = this.#options;
    return refs.currentRepository(await refs.getRepository(name));
  }

  async #isRunning(repository: Repository, { phase, task, updatedAt }: MoveRecord): Promise<boolean> {
    if (hasEnded(phase)) return false;
    // A start is on its way, or broke off.
    if (task === '') return Date.now() - updatedAt.getTime() < signExpiry;
    const found = await this.#options.tasks.get(repository, 'move_storage', task).catch((error: unknown) => {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    });
    return found?.done === false;
  }

  async #present(repository: Repository, record: MoveRecord): Promise<StorageMove> {
    const { id, from, to, phase, startedAt, updatedAt, compared, copied, copiedBytes, error } = record;
    const isRunning = await this.#isRunning(repository, record);
    return { id, from, to, phase, isRunning, startedAt, updatedAt, compared, copied, copiedBytes, error };
  }

  async #work(repository: Repository, record: MoveRecord, signal: AbortSignal): Promise<void> {
    const { moves, log } = this.#options;
    try {
      await new Moving(this.#options, await this.#current(repository), record, signal).run();
      log.info({ repository: repository.id, storage_namespace: record.to.storageNamespace }, 'repository has moved');
    } catch (error) {
      // What a stop of the server breaks off is continued.
      const failure = signal.aborted ? '' : messageOf(error);
      await moves.changeAs(repository, record.runner, { error: failure }).catch(() => undefined);
      throw error;
    }
  }

  /** The record of a move that begins. */
  async #begun(repository: Repository, to: StoragePlace | undefined, last: MoveRecord | undefined): Promise<MoveRecord> {
    const { refs, block, moves, tables } = this.#options;
    if (!to) throw noMove(repository);
    checkStorageId(block, to.storageId);
    checkNamespaceForm(block, namespaceOf(to));
    for (const taken of [refs.repositories(''), moves.targets()]) await checkOverlap(block, namespaceOf(to), taken, 'move repository');
    const { id, instanceUid, storageId, storageNamespace } = repository;
    const from = { storageId, storageNamespace };
    const known = [...(last?.places ?? []), from, to];
    return {
      id: xid(),
      repository: id,
      instanceUid,
      from,
      to,
      phase: 'copying',
      folder: await tables.folderOf(namespaceOf(from)),
      isClaimed: false,
      startedAt: new Date(),
      updatedAt: new Date(),
      compared: 0,
      copied: 0,
      copiedBytes: 0,
      error: '',
      runner: xid(),
      task: '',
      places: known.filter((place, i) => known.findIndex(other => namespaceOf(other) === namespaceOf(place)) === i),
    };
  }

  /** The record of a move that continues. @throws SrvError `conflict`. */
  async #continued(repository: Repository, stopped: MoveRecord, to: StoragePlace | undefined): Promise<MoveRecord> {
    const { id } = repository;
    if (await this.#isRunning(repository, stopped))
      throw new SrvError('conflict', `repository ${id} is being moved; see the move, or abort it`);
    if (stopped.phase === 'aborting')
      throw new SrvError('conflict', `a move of repository ${id} was not aborted to its end; abort it again`);
    const { storageNamespace } = stopped.to;
    if (to && namespaceOf(to) !== namespaceOf(stopped.to))
      throw new SrvError('conflict', `a move of repository ${id} to ${storageNamespace} has stopped; continue or abort it first`);
    return { ...stopped, runner: xid(), task: '', error: '' };
  }

  /** The repository as it is then; a move that still runs may have been faster. */
  async #thawed(repository: Repository, { id }: MoveRecord): Promise<Repository> {
    const { refs } = this.#options;
    return refs.storageFreeze.thaw(repository, id).catch(async (error: unknown) => {
      if (!isSrvError(error, 'conflict')) throw error;
      return refs.currentRepository(repository);
    });
  }
}

function noMove({ id }: Repository): SrvError {
  return new SrvError('not_found', `repository ${id} is not being moved: no move found`, { details: { repository: id } });
}
