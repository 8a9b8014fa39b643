/** Pull requests: a title and two branches, with an index by pair of branches. */
import { descendingXid, partitionOf, runEpoch, xidSeconds } from '@srv/lib-names';
import { SrvError } from '@srv/kernel';
import type { KvStore } from '@srv/kernel';
import type { Page, PageRequest, PullRequest, PullRequestChange, Repository } from '../contract.js';
import { decodePullRequest, encodePullRequest, encodeSecondaryIndex } from '../messages/index.js';
import type { Branches } from './branches.js';
import { Records } from './records.js';
import type { Retries } from './retries.js';

const indexPartition = 'pulls';

export class Pulls {
  readonly #kv: KvStore;
  readonly #branches: Branches;
  readonly #records: Records<PullRequest>;
  readonly #retries: Retries;

  constructor(kv: KvStore, branches: Branches, retries: Retries) {
    this.#kv = kv;
    this.#branches = branches;
    this.#retries = retries;
    this.#records = new Records(kv, { prefix: 'pulls', what: 'pull request', encode: encodePullRequest, decode: decodePullRequest });
  }

  async create(
    repository: Repository,
    facts: Pick<PullRequest, 'title' | 'author' | 'description' | 'source' | 'destination'>,
  ): Promise<PullRequest> {
    const { source, destination } = facts;
    if (source === destination) throw new SrvError('invalid', `source and destination branches are the same: ${source}: same branch`);
    await Promise.all([this.#branches.get(repository, source), this.#branches.get(repository, destination)]);
    const pull: PullRequest = { ...facts, id: descendingXid(runEpoch), status: 'open', createdAt: new Date() };
    const partition = partitionOf(repository);
    await this.#records.create(partition, pull.id, pull);
    await this.#kv.set(
      indexPartition,
      Buffer.from(`repos/${partition}/${source}/${destination}`),
      encodeSecondaryIndex(Buffer.from(`pulls/${pull.id}`)),
    );
    return pull;
  }

  async get(repository: Repository, id: string): Promise<PullRequest> {
    checkId(id);
    return (await this.#records.get(partitionOf(repository), id)).value;
  }

  list(
    repository: Repository,
    { status = 'all', ...request }: PageRequest & { status?: 'open' | 'closed' | 'all' },
  ): Promise<Page<PullRequest>> {
    const wanted = (pull: PullRequest): boolean => status === 'all' || (status === 'open') === (pull.status === 'open');
    return this.#records.list(partitionOf(repository), request, pull => pull.id, wanted);
  }

  async update(repository: Repository, id: string, change: PullRequestChange): Promise<PullRequest> {
    checkId(id);
    return this.#retries.run('update_pull_request', `update pull request ${id}`, async () => {
      const { value, predicate } = await this.#records.get(partitionOf(repository), id);
      const next = change(value);
      return (await this.#records.replace(partitionOf(repository), id, next, predicate)) ? next : undefined;
    });
  }
}

function checkId(id: string): void {
  if (xidSeconds(id) === undefined)
    throw new SrvError('invalid', `argument pullRequestID: invalid value: ${JSON.stringify(id)} is no pull request id: validation error`);
}
