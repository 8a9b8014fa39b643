/** The rule of this door: an agent writes on branches that it started, and on no other. */
import { randomBytes } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { Records, partitionOf } from '@srv/lib-records';
import { decodeOwnBranch, encodeOwnBranch, ownBranchPrefix } from './own-branch-record.js';
import type { Branch, Engine, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { OwnBranch } from './own-branch-record.js';

export class OwnBranches {
  readonly #engine: Engine;
  readonly #records: Records<OwnBranch>;
  /** `mcp.write`. */
  readonly #write: string;

  constructor(engine: Engine, kv: KvStore, write: string) {
    this.#engine = engine;
    this.#write = write;
    this.#records = new Records<OwnBranch>(kv, {
      prefix: ownBranchPrefix,
      what: 'branch',
      encode: encodeOwnBranch,
      decode: decodeOwnBranch,
    });
  }

  /** A name for a new branch of a user, such as `mcp-ann-1f3c9a04`. */
  nameFor(username: string): string {
    const user = username.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60);
    return `mcp-${user}-${randomBytes(4).toString('hex')}`;
  }

  /** Records who started a branch. */
  async remember(repository: Repository, branch: Branch, facts: Omit<OwnBranch, 'branch' | 'instanceUid'>): Promise<void> {
    const record = { ...facts, branch: branch.id, instanceUid: branch.instanceUid ?? '' };
    await this.#records.set(partitionOf(repository), branch.id, record);
  }

  /** @throws SrvError `forbidden` unless the user started the branch, or may write everywhere. */
  async demand(repository: Repository, branch: string, user: string): Promise<void> {
    if (this.#write === 'any') return;
    if (this.#write === 'none') throw new SrvError('forbidden', 'this server lets agents read only (mcp.write: none)');
    const [record, current] = await Promise.all([
      this.#records.find(partitionOf(repository), branch),
      branch === repository.defaultBranch ? undefined : this.#engine.getBranch(repository, branch),
    ]);
    const isOwn = record?.value.user === user && current !== undefined && (current.instanceUid ?? '') === record.value.instanceUid;
    if (!isOwn)
      throw new SrvError(
        'forbidden',
        `${branch} is not a branch that you started: call start_branch, and write to the branch that it returns`,
      );
  }
}
