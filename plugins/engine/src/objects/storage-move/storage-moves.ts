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

export function createStorageMoves({ tables, tasks, ...options }: StorageMovesOptions) {
  const { refs, block, moves, log } = options;

  const current = async (name: RepositoryName): Promise<Repository> => refs.currentRepository(await refs.getRepository(name));

  async function isRunning(repository: Repository, { phase, task, updatedAt }: MoveRecord): Promise<boolean> {
    if (hasEnded(phase)) return false;
    // A start is on its way, or broke off.
    if (task === '') return Date.now() - updatedAt.getTime() < signExpiry;
    const found = await tasks.get(repository, 'move_storage', task).catch((error: unknown) => {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    });
    return found?.done === false;
  }

  async function present(repository: Repository, record: MoveRecord): Promise<StorageMove> {
    const { repository: _, instanceUid: __, folder: ___, isClaimed: ____, runner: _____, task: ______, places: _______, ...move } = record;
    return { ...move, isRunning: await isRunning(repository, record) };
  }

  async function work(repository: Repository, record: MoveRecord, signal: AbortSignal): Promise<void> {
    try {
      await new Moving(options, await current(repository), record, signal).run();
      log.info({ repository: repository.id, storage_namespace: record.to.storageNamespace }, 'repository has moved');
    } catch (error) {
      await moves.changeAs(repository, record.runner, { error: messageOf(error) }).catch(() => undefined);
      throw error;
    }
  }

  /** The record of a move that begins. */
  async function begun(repository: Repository, to: StoragePlace, last: MoveRecord | undefined): Promise<MoveRecord> {
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

  return {
    async startStorageMove(name, to) {
      const repository = await current(name);
      const last = await moves.find(repository);
      const stopped = last && !hasEnded(last.phase) ? last : undefined;
      if (stopped) await refuseContinuing(repository, stopped, to);
      if (!stopped && !to) throw noMove(repository);
      const next = stopped ? { ...stopped, runner: xid(), task: '', error: '' } : await begun(repository, to as StoragePlace, last);
      const record = await moves.change(repository, now => {
        if (now?.runner === last?.runner) return next;
        throw new SrvError('conflict', `another move of repository ${repository.id} has begun just now`);
      });
      const task = await tasks.submit(repository, 'move_storage', async (_, signal) => {
        await work(repository, record, signal);
        return Buffer.alloc(0);
      });
      return present(repository, await moves.changeAs(repository, record.runner, { task }));
    },
    async storageMove(name) {
      const repository = await current(name);
      const record = await moves.find(repository);
      if (!record) throw noMove(repository);
      return present(repository, record);
    },
    movingRepositories: () => moves.targets(),
    async abortStorageMove(name) {
      const repository = await current(name);
      const record = await moves.find(repository);
      if (!record || hasEnded(record.phase)) throw noMove(repository);
      const { runner } = await moves.change(repository, now => {
        if (now?.id !== record.id || hasEnded(now.phase)) throw noMove(repository);
        return { ...now, phase: 'aborting', runner: xid(), task: noTask };
      });
      // Now the move, where it still runs, ends with its next note. The record of the repository decides who was first.
      const hasMoved = namespaceOf(repository) === namespaceOf(record.to);
      const now = hasMoved ? repository : await thawed(repository, record);
      if (namespaceOf(now) !== namespaceOf(record.to)) return present(now, await moves.changeAs(repository, runner, { phase: 'aborted' }));
      await moves.changeAs(repository, runner, { phase: 'finishing' });
      throw new SrvError('conflict', `repository ${now.id} has moved already; continue the move to its end`);
    },
  } satisfies Partial<Engine>;

  /** The repository as it is then; it may have been faster. */
  async function thawed(repository: Repository, { id }: MoveRecord): Promise<Repository> {
    return refs.storageFreeze.thaw(repository, id).catch(async (error: unknown) => {
      if (!isSrvError(error, 'conflict')) throw error;
      return refs.currentRepository(repository);
    });
  }

  async function refuseContinuing(repository: Repository, stopped: MoveRecord, to: StoragePlace | undefined): Promise<void> {
    const { id } = repository;
    if (await isRunning(repository, stopped)) throw new SrvError('conflict', `repository ${id} is being moved; see the move, or abort it`);
    if (stopped.phase === 'aborting')
      throw new SrvError('conflict', `a move of repository ${id} was not aborted to its end; abort it again`);
    if (to && namespaceOf(to) !== namespaceOf(stopped.to))
      throw new SrvError(
        'conflict',
        `a move of repository ${id} to ${stopped.to.storageNamespace} has stopped; continue or abort it first`,
      );
  }
}

function noMove({ id }: Repository): SrvError {
  return new SrvError('not_found', `repository ${id} is not being moved: no move found`, { details: { repository: id } });
}
