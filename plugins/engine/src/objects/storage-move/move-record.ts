/** Moves of repositories to other storage namespaces: one record for each repository that ever moved, JSON, key `moves/<id>`. */
import { SrvError } from '@srv/kernel';
import { Records } from '@srv/lib-records';
import { repositoryPartition, repositoryRecords } from '../../refs/storage-epoch.js';
import type { KvStore } from '@srv/kernel';
import type { Repository } from '../../refs/contract.js';
import type { StorageMove, StoragePlace } from '../contract.js';

export const movePrefix = 'moves/';

export interface MoveRecord extends Omit<StorageMove, 'isRunning'> {
  /** Id. */
  readonly repository: string;
  readonly instanceUid: string;
  /** Metadata folder of the namespaces. */
  readonly folder: string;
  /** Whether the target bears the mark of a repository. */
  readonly isClaimed: boolean;
  /** Who may change the record: new for every start, resumption and end. */
  readonly runner: string;
  /** Task that does the work; empty: it has not begun. */
  readonly task: string;
  /** Where the repository was, and where it began to go, in all its moves. */
  readonly places: readonly StoragePlace[];
}

export function hasEnded(phase: StorageMove['phase']): boolean {
  return phase === 'done' || phase === 'aborted';
}

function encodeMove(record: MoveRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}

/** @throws SrvError `corrupt`. */
export function decodeMove(bytes: Buffer): MoveRecord {
  try {
    const record = JSON.parse(bytes.toString('utf8')) as MoveRecord;
    const [startedAt, updatedAt] = [new Date(record.startedAt), new Date(record.updatedAt)];
    if (!Array.isArray(record.places) || typeof record.to.storageNamespace !== 'string' || Number.isNaN(updatedAt.getTime()))
      throw new TypeError('it lacks members');
    return { ...record, startedAt, updatedAt };
  } catch (cause) {
    throw new SrvError('corrupt', 'the record of a move to another storage namespace cannot be read', { cause });
  }
}

export class MoveRecords {
  readonly #records: Records<MoveRecord>;
  readonly #repositories: Records<Repository>;

  constructor(kv: KvStore) {
    this.#repositories = repositoryRecords(kv);
    this.#records = new Records(kv, { prefix: movePrefix.slice(0, -1), what: 'move', encode: encodeMove, decode: decodeMove });
  }

  all(): AsyncIterable<MoveRecord> {
    return this.#records.scan(repositoryPartition);
  }

  /** Repositories as they will be at the end of their moves, of moves that have not ended. */
  async *targets(): AsyncGenerator<Repository> {
    for await (const { repository: id, instanceUid, to, phase, startedAt } of this.all()) {
      if (hasEnded(phase)) continue;
      // A server that ended as it deleted the repository may have left the record.
      const owner = await this.#repositories.find(repositoryPartition, id);
      if (owner?.value.instanceUid !== instanceUid) continue;
      yield { id, instanceUid, ...to, defaultBranch: '', creationDate: startedAt, state: 'active', readOnly: false };
    }
  }

  async find({ id, instanceUid }: Repository): Promise<MoveRecord | undefined> {
    const found = await this.#records.find(repositoryPartition, id);
    return found?.value.instanceUid === instanceUid ? found.value : undefined;
  }

  /** Of a repository that is being deleted. */
  async forget(repository: Pick<Repository, 'id' | 'instanceUid'>): Promise<void> {
    const found = await this.#records.find(repositoryPartition, repository.id);
    if (found?.value.instanceUid === repository.instanceUid) await this.#records.remove(repositoryPartition, repository.id);
  }

  /** @param change asked again when the record has changed meanwhile. @returns what is stored now. */
  async change({ id, instanceUid }: Repository, change: (record: MoveRecord | undefined) => MoveRecord): Promise<MoveRecord> {
    for (;;) {
      const found = await this.#records.find(repositoryPartition, id);
      const next = { ...change(found?.value.instanceUid === instanceUid ? found.value : undefined), updatedAt: new Date() };
      const stored = found
        ? await this.#records.replace(repositoryPartition, id, next, found.predicate)
        : await this.#records.createIfAbsent(repositoryPartition, id, next);
      if (stored) return next;
    }
  }

  /** {@link change} by the runner of the move. @throws SrvError `conflict` when another one has taken it over, or ended it. */
  async changeAs(repository: Repository, runner: string, change: Partial<MoveRecord>): Promise<MoveRecord> {
    return this.change(repository, record => {
      if (record?.runner !== runner)
        throw new SrvError('conflict', `the move of repository ${repository.id} was aborted, or continues elsewhere`);
      return { ...record, ...change };
    });
  }
}
