/** Whether a branch is protected. Those who may not see the rules learn of them from the server's refusal. */
import { ask, shownName } from '@srv/lib-page/page';
import type { BranchGuard } from '@srv/lib-page/page';

const guard: BranchGuard = async (repository, branch, signal) => {
  const rules = (await ask('getBranchProtectionRules', { repository }, { signal })) as readonly { readonly pattern: string }[];
  if (rules.length === 0) return undefined;
  const { matchesPattern } = await import('./branch-pattern.js');
  const rule = rules.find(({ pattern }) => matchesPattern(pattern, branch));
  if (!rule) return undefined;
  const pattern = shownName(rule.pattern);
  return {
    badge: 'Protected',
    detail: `Protected by ${pattern}`,
    reason: `the branch is protected by ${pattern}; merge into it instead`,
  };
};

export default guard;
