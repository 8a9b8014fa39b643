/** Which branches are indexed: patterns of the configuration, and those that were set by the API. */
import { createHash } from 'node:crypto';
import { SrvError, absent, messageOf } from '@srv/kernel';
import { strongEtag } from '@srv/lib-api/http';
import { checkWritable, isRepositoryPartition, partitionOf } from '@srv/lib-records';
import { branchSyntax, parseGlob } from '@srv/lib-records/glob';
import type { Repository } from '@srv/engine/contract';
import type { KvEntry, KvStore } from '@srv/kernel';
import type { SearchSettings, StoredSearchSettings } from '../contract.js';

/** In the partition of the repository; copied with its settings. */
const settingsKey = Buffer.from('settings/search');
const maxPatterns = 100;

export class Selection {
  readonly #kv: KvStore;
  readonly #configured: Readonly<Record<string, readonly string[]>>;

  /** @param configured by repository: patterns separated by spaces. @throws SrvError `config` for a bad pattern. */
  constructor(kv: KvStore, configured: Readonly<Record<string, string>>) {
    this.#kv = kv;
    this.#configured = Object.fromEntries(Object.entries(configured).map(([name, text]) => [name, text.split(' ').filter(Boolean)]));
    for (const [name, patterns] of Object.entries(this.#configured))
      for (const pattern of patterns) {
        const problem = problemOf(pattern);
        if (problem) throw new SrvError('config', `search.repositories: ${name}: ${problem}`);
      }
  }

  async settings(repository: Repository): Promise<StoredSearchSettings> {
    const found = await this.#kv.get(partitionOf(repository), settingsKey);
    return { ...(found ? decode(found.value) : { branches: [] }), etag: etagOf(found?.value) };
  }

  /**
   * @param ifMatch ETag of the settings to replace, empty for none.
   * @throws SrvError `invalid` for a bad pattern, `precondition_failed` when other settings are stored.
   */
  async set(repository: Repository, { branches }: SearchSettings, ifMatch?: string): Promise<void> {
    checkWritable(repository);
    if (branches.length > maxPatterns) throw new SrvError('invalid', `branches: ${branches.length} patterns are more than ${maxPatterns}`);
    for (const pattern of branches) {
      const problem = problemOf(pattern) ?? strangerOf(pattern);
      if (problem) throw new SrvError('invalid', `branches: ${problem}`);
    }
    const bytes = Buffer.from(JSON.stringify({ branches }));
    const partition = partitionOf(repository);
    if (ifMatch === undefined) return this.#kv.set(partition, settingsKey, bytes);
    const found = await this.#kv.get(partition, settingsKey);
    const isSame = strongEtag(ifMatch) === etagOf(found?.value);
    if (!isSame || !(await this.#kv.setIf(partition, settingsKey, bytes, found ? found.predicate : absent)))
      throw new SrvError('precondition_failed', 'Precondition failed: the settings of search were changed meanwhile; read them again');
  }

  async patterns(repository: Repository): Promise<readonly string[]> {
    const configured = Object.hasOwn(this.#configured, repository.id) ? (this.#configured[repository.id] ?? []) : [];
    return [...new Set([...configured, ...(await this.settings(repository)).branches])];
  }
}

/** Whether a name matches one of the patterns, which are valid. */
export function isSelected(patterns: readonly string[], branch: string): boolean {
  return patterns.some(pattern => parseGlob(pattern, branchSyntax).matches(branch));
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.equals(settingsKey) ? decode(value) : undefined;
}

function etagOf(bytes: Buffer | undefined): string {
  return bytes ? createHash('sha256').update(bytes).digest('hex') : '';
}

function problemOf(pattern: string): string | undefined {
  try {
    if (pattern === '') return 'a pattern is empty';
    parseGlob(pattern, branchSyntax);
    return undefined;
  } catch (error) {
    return `pattern ${JSON.stringify(pattern)}: ${messageOf(error)}; use * ? [a-z] {a,b}`;
  }
}

/** @returns what is wrong with a pattern that parses, and which no name of a branch can match, such as a URI. */
function strangerOf(pattern: string): string | undefined {
  const [stranger] = /[^-\w*?[\]!^{},\\]/u.exec(pattern) ?? [];
  return (
    stranger && `pattern ${JSON.stringify(pattern)}: ${JSON.stringify(stranger)} is not in any name of a branch; give names such as main`
  );
}

function decode(bytes: Buffer): SearchSettings {
  let found: unknown;
  try {
    found = (Object(JSON.parse(bytes.toString('utf8'))) as { readonly branches?: unknown }).branches;
  } catch (error) {
    throw new SrvError('corrupt', 'settings of search: not JSON; set them again', { cause: error });
  }
  if (!Array.isArray(found) || !found.every(pattern => typeof pattern === 'string' && problemOf(pattern) === undefined))
    throw new SrvError('corrupt', 'settings of search: branches is not a list of patterns; set them again');
  return { branches: found as string[] };
}
