/**
 * Storage namespaces that a creation of a repository has marked as taken, until the repository is there: one record for each name,
 * JSON, key `claims/<id>`. A creation that breaks off can be repeated with the same namespace.
 */
import { Records } from '@srv/lib-records';
import { repositoryPartition } from '../refs/storage-epoch.js';
import type { KvStore } from '@srv/kernel';
import type { Reservation } from './namespace-check.js';

interface NamespaceClaim {
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Milliseconds in which a creation is repeated. Later, what is in the namespace may be of others. */
const longest = 3_600_000;

export class NamespaceClaims {
  readonly #records: Records<NamespaceClaim>;

  constructor(kv: KvStore) {
    this.#records = new Records<NamespaceClaim>(kv, {
      prefix: 'claims',
      what: 'claim',
      encode: claim => Buffer.from(JSON.stringify(claim), 'utf8'),
      decode: bytes => JSON.parse(bytes.toString('utf8')) as NamespaceClaim,
    });
  }

  /** @param id of the repository that is created. */
  of(id: string, namespace: string): Reservation {
    return {
      isMade: async () => {
        const found = await this.#records.find(repositoryPartition, id);
        return found?.value.namespace === namespace && Math.abs(Date.now() - found.value.since) < longest;
      },
      make: () => this.#records.set(repositoryPartition, id, { namespace, since: Date.now() }),
    };
  }

  /** The repository is there, or no longer there. */
  async end(id: string): Promise<void> {
    await this.#records.remove(repositoryPartition, id);
  }
}
