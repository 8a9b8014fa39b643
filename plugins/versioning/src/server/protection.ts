/** Branch protection: patterns over branch names and what they block (versioning rules, section 10). */
import { partitionOf } from '@srv/lib-names';
import { createHash } from 'node:crypto';
import picomatch from 'picomatch';
import { SrvError, absent } from '@srv/kernel';
import type { KvStore } from '@srv/kernel';
import type { BlockedAction, BranchProtectionRules, Repository } from '../contract.js';
import { decodeProtection, encodeProtection } from '../messages/index.js';
import type { ExpiringCache } from '@srv/lib-cache';

const settingsKey = Buffer.from('settings/protected_branches');

interface Rule {
  readonly matches: (branch: string) => boolean;
  readonly blocked: readonly BlockedAction[];
}

export class Protection {
  readonly #kv: KvStore;
  readonly #cache: ExpiringCache<readonly Rule[]>;

  constructor(kv: KvStore, cache: ExpiringCache<readonly Rule[]>) {
    this.#kv = kv;
    this.#cache = cache;
  }

  async isBlocked(repository: Repository, branch: string, ...actions: BlockedAction[]): Promise<boolean> {
    const rules = await this.#cache.get(partitionOf(repository), () => this.#load(repository));
    return rules.some(({ matches, blocked }) => matches(branch) && actions.some(action => blocked.includes(action)));
  }

  async get(repository: Repository): Promise<BranchProtectionRules> {
    const found = await this.#kv.get(partitionOf(repository), settingsKey);
    return found ? { rules: decodeProtection(found.value), etag: etagOf(found.value) } : { rules: {}, etag: '' };
  }

  /** @throws SrvError `invalid` for a bad pattern, `precondition_failed` when the stored rules are not those of `ifMatch`. */
  async set(repository: Repository, rules: BranchProtectionRules['rules'], ifMatch: string | undefined): Promise<void> {
    for (const pattern of Object.keys(rules)) compile(pattern);
    const partition = partitionOf(repository);
    const bytes = encodeProtection(rules);
    const found = await this.#kv.get(partition, settingsKey);
    if (ifMatch !== undefined && ifMatch !== (found ? etagOf(found.value) : '')) throw changed();
    if (ifMatch === undefined) await this.#kv.set(partition, settingsKey, bytes);
    else if (!(await this.#kv.setIf(partition, settingsKey, bytes, found ? found.predicate : absent))) throw changed();
    this.#cache.forget(partition);
  }

  async #load(repository: Repository): Promise<readonly Rule[]> {
    const { rules } = await this.get(repository);
    return Object.entries(rules).map(([pattern, blocked]) => ({ matches: compile(pattern), blocked }));
  }
}

/** Hash of the stored bytes; nothing stored and an empty set of rules have none. */
function etagOf(stored: Buffer): string {
  return stored.length === 0 ? '' : createHash('sha256').update(stored).digest('hex');
}

function compile(pattern: string): (branch: string) => boolean {
  try {
    if (pattern === '') throw new Error('it is empty');
    return picomatch(pattern, { dot: true, strictBrackets: true, noextglob: true, nonegate: true });
  } catch (error) {
    throw new SrvError(
      'invalid',
      `branch protection pattern ${JSON.stringify(pattern)}: invalid value: validation error: use * ? [a-z] {a,b}`,
      { cause: error },
    );
  }
}

function changed(): SrvError {
  return new SrvError('precondition_failed', 'Precondition failed: the branch protection rules were changed meanwhile');
}
