/** Files of runs, in the storage namespace that their repository has when they are read or written: it may move during a run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import type { Engine, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** A repository as far as its runs are concerned. */
export interface RunRepository {
  readonly repository: string;
  /** When the run began. */
  readonly storageNamespace: string;
  readonly storageId?: string | undefined;
  /** Not that of later repositories of the same name; absent: it is the one that has the name now. */
  readonly instanceUid?: string | undefined;
}

export interface RunFilesOptions {
  readonly block: Pick<BlockStore, 'get' | 'put' | 'remove'>;
  readonly engine: Pick<Engine, 'getRepository' | 'requireUnmoved'>;
}

/** Milliseconds between two attempts to write a file while its repository moves. */
const pause = 500;
const mostAttempts = 60;

export class RunFiles {
  readonly #options: RunFilesOptions;

  constructor(options: RunFilesOptions) {
    this.#options = options;
  }

  /** @throws SrvError `moving` when the repository has been moving for too long. */
  async put(place: RunRepository, identifier: string, bytes: Buffer): Promise<void> {
    const { block } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const repository = await this.#current(place);
      await block.put(pointer(repository ?? place, identifier), bytes, { size: bytes.length });
      if (!repository || (await this.#holds(repository, attempt))) return;
      await sleep(pause);
    }
  }

  /** @throws SrvError `no_data`. */
  async get(place: RunRepository, identifier: string): ReturnType<BlockStore['get']> {
    return this.#options.block.get(pointer((await this.#current(place)) ?? place, identifier));
  }

  async remove(place: RunRepository, identifier: string): Promise<void> {
    await this.#options.block.remove(pointer((await this.#current(place)) ?? place, identifier));
  }

  /** Another repository may have its name. */
  async isDeleted(place: RunRepository): Promise<boolean> {
    return place.instanceUid !== undefined && (await this.#current(place)) === undefined;
  }

  /** `undefined`: it has been deleted. */
  async #current({ repository, instanceUid }: RunRepository): Promise<Repository | undefined> {
    const found = await ifThere(this.#options.engine.getRepository(repository));
    return instanceUid === undefined || found?.instanceUid === instanceUid ? found : undefined;
  }

  /** Whether what was written is where the repository is, or moves with it. */
  async #holds(repository: Repository, attempt: number): Promise<boolean> {
    try {
      await ifThere(this.#options.engine.requireUnmoved(repository));
      return true;
    } catch (error) {
      if (attempt === mostAttempts || !isSrvError(error, 'moving')) throw error;
      return false;
    }
  }
}

function pointer(
  { storageNamespace, storageId = '' }: Pick<RunRepository, 'storageNamespace' | 'storageId'>,
  identifier: string,
): ObjectPointer {
  return { namespace: namespaceOf({ storageNamespace, storageId }), identifier, identifierType: identifierType.relative };
}

async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isSrvError(error, 'not_found', 'gone')) return undefined;
    throw error;
  }
}
