/** Settings of pull requests: whether merges delete the source, and how many approvals the branches of a pattern ask for. */

import { SrvError, absent, messageOf } from '@srv/kernel';
import { carryUnknownFields, checkWritable, partitionOf } from '@srv/lib-records';
import { branchSyntax, parseGlob } from '@srv/lib-records/glob';
import { decodeSettings, encodeSettings } from './settings-record.js';
import type { BranchProtection, Engine, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { Retries } from '@srv/lib-records';
import type { PullRequestSettings, PullRequestSettingsStore } from '../contract.js';

export const settingsKey = Buffer.from('settings/pull_request');
const usual: PullRequestSettings = { deleteSourceOnMerge: false, rules: [] };
/** Longest list of rules, and the most approvals one may ask for. */
const most = { rules: 100, approvals: 100 };

interface SettingsParts {
  readonly kv: KvStore;
  readonly engine: Pick<Engine, 'getRepository'>;
  readonly retries: Retries<'update_pull_settings'>;
  /** Absent: nothing protects branches from writes. */
  readonly protection: () => BranchProtection | undefined;
}

export interface SettingsOfRepository extends PullRequestSettingsStore {
  of(repository: Repository): Promise<PullRequestSettings>;
  /** Approvals that a merge into the branch needs: the most of all rules that match. */
  required(repository: Repository, branch: string): Promise<number>;
}

export function createSettings({ kv, engine, retries, protection }: SettingsParts): SettingsOfRepository {
  const of = async (repository: Repository): Promise<PullRequestSettings> => {
    const found = await kv.get(partitionOf(repository), settingsKey);
    return found ? decodeSettings(found.value) : usual;
  };

  /** Without a rule of branch protection, unapproved objects could be written there without a merge. */
  async function checkRules(repository: string, rules: PullRequestSettings['rules']): Promise<void> {
    if (rules.length > most.rules) throw new SrvError('invalid', `${rules.length} approval rules: at most ${most.rules} are possible`);
    const protectedPatterns = (await protection()?.get(repository))?.rules;
    for (const { pattern, approvals } of rules) {
      compile(pattern);
      if (!Number.isSafeInteger(approvals) || approvals < 1 || approvals > most.approvals)
        throw new SrvError(
          'invalid',
          `approvals of ${JSON.stringify(pattern)}: ${approvals} is not a whole number from 1 to ${most.approvals}`,
        );
      if (protectedPatterns && !Object.hasOwn(protectedPatterns, pattern))
        throw new SrvError(
          'invalid',
          `approvals of ${JSON.stringify(pattern)}: this pattern is not protected from direct writes; add it first: cli branch-protect add srv://${repository} '${pattern}'`,
        );
    }
  }

  return {
    of,
    get: async id => of(await engine.getRepository(id)),
    async set(id, change) {
      const repository = await engine.getRepository(id);
      checkWritable(repository);
      if (change.rules) await checkRules(id, change.rules);
      const partition = partitionOf(repository);
      await retries.run('update_pull_settings', `update pull request settings of ${id}`, async () => {
        const found = await kv.get(partition, settingsKey);
        const old = found ? decodeSettings(found.value) : usual;
        const next = carryUnknownFields(old, {
          deleteSourceOnMerge: change.deleteSourceOnMerge ?? old.deleteSourceOnMerge,
          rules: change.rules ?? old.rules,
        });
        return (await kv.setIf(partition, settingsKey, encodeSettings(next), found ? found.predicate : absent)) || undefined;
      });
    },
    async required(repository, branch) {
      const { rules } = await of(repository);
      return Math.max(0, ...rules.filter(({ pattern }) => compile(pattern).matches(branch)).map(({ approvals }) => approvals));
    },
  };
}

function compile(pattern: string): ReturnType<typeof parseGlob> {
  try {
    if (pattern === '') throw new Error('it is empty');
    return parseGlob(pattern, branchSyntax);
  } catch (error) {
    throw new SrvError(
      'invalid',
      `pattern of approvals ${JSON.stringify(pattern)}: invalid value: ${messageOf(error)}; use * ? [a-z] {a,b}`,
      { cause: error },
    );
  }
}
