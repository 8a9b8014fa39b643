/**
 * What an upload belongs to: the repository and the branch it was begun in. Both may have been deleted since, and created
 * again under the same name; for those the upload does not exist.
 */
import { isSrvError } from '@srv/kernel';
import type { Engine, Repository } from '@srv/engine/contract';
import type { UploadRecord } from './record.js';

/** In records of uploads on branches without an id, so that they differ from records of earlier releases. */
const noId = '-';

/** What is written into the record of a new upload. */
export async function identityOf(
  engine: Pick<Engine, 'getBranch'>,
  repository: Repository,
  ref: string,
): Promise<Pick<UploadRecord, 'repositoryUid' | 'branchUid'>> {
  const { instanceUid = noId } = await engine.getBranch(repository.id, ref);
  return { repositoryUid: repository.instanceUid, branchUid: instanceUid };
}

export type RepositoryIdentity = Pick<Repository, 'id' | 'instanceUid' | 'creationDate'>;

/** Records of earlier releases name the repository only, those of other programs not even that. */
export function isInRepository(
  { repository, repositoryUid, createdAt }: UploadRecord,
  { id, instanceUid, creationDate }: RepositoryIdentity,
): boolean {
  if (repository !== id) return false;
  return repositoryUid === '' ? createdAt.getTime() >= creationDate.getTime() : repositoryUid === instanceUid;
}

/** The ids of the branches of one repository, each read once. */
export class BranchIds {
  readonly #engine: Pick<Engine, 'getBranch'>;
  readonly #repository: string;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(engine: Pick<Engine, 'getBranch'>, repository: string) {
    this.#engine = engine;
    this.#repository = repository;
  }

  /** Whether the upload was begun on a branch that is gone, while another has its name. */
  async isReplaced({ ref, branchUid }: Pick<UploadRecord, 'ref' | 'branchUid'>): Promise<boolean> {
    if (branchUid === '') return false;
    const found = this.#known.get(ref) ?? this.#read(ref);
    this.#known.set(ref, found);
    const id = await found;
    // Another program that changes a branch leaves it without an id.
    return id !== undefined && id !== branchUid;
  }

  async #read(branch: string): Promise<string | undefined> {
    try {
      return (await this.#engine.getBranch(this.#repository, branch)).instanceUid;
    } catch (error) {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}
