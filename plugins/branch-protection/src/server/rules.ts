/** Protection rules: patterns over branch names and what they block (engine rules, section 10). */

import { createHash } from 'node:crypto';
import { SrvError, absent, messageOf } from '@srv/kernel';
import { checkWritable, isRepositoryPartition, partitionOf } from '@srv/lib-records';
import { branchSyntax, parseGlob } from '@srv/lib-records/glob';
import { LRUCache } from 'lru-cache';
import { decodeProtection, encodeProtection } from './protection-record.js';
import type { BlockedAction, BranchProtection, BranchProtectionRules, Engine, Repository } from '@srv/engine/contract';
import type { BranchChange, KvEntry, KvStore } from '@srv/kernel';
import type { Glob } from '@srv/lib-records/glob';

const settingsKey = Buffer.from('settings/protected_branches');
/** @bound repositories whose rules are kept compiled */
const maxCompiled = 10_000;

interface Rule {
  readonly glob: Glob;
  readonly blocked: readonly BlockedAction[];
}

interface Compiled {
  readonly bytes: Buffer;
  readonly rules: readonly Rule[];
}

interface ProtectionParts {
  readonly kv: KvStore;
  readonly engine: Pick<Engine, 'getRepository'>;
}

/** The rules, and the guard that enforces them. */
export function createProtection({ kv, engine }: ProtectionParts): {
  readonly service: BranchProtection;
  readonly guard: (change: BranchChange) => Promise<void>;
} {
  const compiled = new LRUCache<string, Compiled>({ max: maxCompiled });

  /** Read for each change of a branch, so that a rule holds at every server as soon as it is stored. */
  async function rulesOf(repository: Repository): Promise<readonly Rule[]> {
    const partition = partitionOf(repository);
    const bytes = (await kv.get(partition, settingsKey))?.value;
    if (!bytes || bytes.length === 0) return [];
    let known = compiled.get(partition);
    if (!known?.bytes.equals(bytes)) {
      known = { bytes, rules: compileAll(decodeProtection(bytes)) };
      compiled.set(partition, known);
    }
    return known.rules;
  }

  return {
    async guard({ repository, branch, actions, block }) {
      const rules = await rulesOf(repository);
      if (rules.some(({ glob, blocked }) => glob.matches(branch) && blocked.some(action => actions.includes(action)))) block();
    },
    service: {
      get: async id => stored(await kv.get(partitionOf(await engine.getRepository(id)), settingsKey)),
      async set(id, rules, ifMatch) {
        const repository = await engine.getRepository(id);
        checkWritable(repository);
        for (const pattern of Object.keys(rules)) compile(pattern);
        const partition = partitionOf(repository);
        const bytes = encodeProtection(rules);
        const found = await kv.get(partition, settingsKey);
        if (ifMatch !== undefined && ifMatch !== stored(found).etag) throw changed();
        if (ifMatch === undefined) await kv.set(partition, settingsKey, bytes);
        else if (!(await kv.setIf(partition, settingsKey, bytes, found ? found.predicate : absent))) throw changed();
      },
    },
  };
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.equals(settingsKey) ? decodeProtection(value) : undefined;
}

function stored(found: { readonly value: Buffer } | undefined): BranchProtectionRules {
  return found ? { rules: decodeProtection(found.value), etag: etagOf(found.value) } : { rules: {}, etag: '' };
}

/** Hash of the stored bytes; nothing stored and an empty set of rules have none. */
function etagOf(bytes: Buffer): string {
  return bytes.length === 0 ? '' : createHash('sha256').update(bytes).digest('hex');
}

function compileAll(rules: Readonly<Record<string, readonly BlockedAction[]>>): readonly Rule[] {
  return Object.entries(rules).map(([pattern, blocked]) => ({ glob: compile(pattern), blocked }));
}

function compile(pattern: string): Glob {
  try {
    if (pattern === '') throw new Error('it is empty');
    return parseGlob(pattern, branchSyntax);
  } catch (error) {
    throw new SrvError(
      'invalid',
      `branch protection pattern ${JSON.stringify(pattern)}: invalid value: validation error: ${messageOf(error)}; use * ? [a-z] {a,b}`,
      { cause: error },
    );
  }
}

function changed(): SrvError {
  return new SrvError('precondition_failed', 'Precondition failed: the branch protection rules were changed meanwhile');
}
