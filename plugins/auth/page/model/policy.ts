/** What a policy may say. */
import { isMatch, wildcardSyntax } from '@srv/lib-records/glob';

const byService: Readonly<Record<string, string>> = {
  fs: 'ReadRepository CreateRepository UpdateRepository AttachStorageNamespace ImportFromStorage ImportCancel DeleteRepository ListRepositories ReadObject WriteObject DeleteObject ListObjects CreateCommit ReadCommit ListCommits CreateBranch DeleteBranch ReadBranch RevertBranch ListBranches CreateTag DeleteTag ReadTag ListTags ReadConfig',
  auth: 'ReadUser CreateUser DeleteUser ListUsers ReadGroup CreateGroup DeleteGroup ListGroups AddGroupMember RemoveGroupMember ReadPolicy CreatePolicy UpdatePolicy DeletePolicy ListPolicies AttachPolicy DetachPolicy ReadCredentials CreateCredentials DeleteCredentials ListCredentials CreateUserExternalPrincipal DeleteUserExternalPrincipal ReadExternalPrincipal',
  ci: 'ReadAction',
  retention:
    'PrepareGarbageCollectionCommits GetGarbageCollectionRules SetGarbageCollectionRules PrepareGarbageCollectionUncommitted RunGarbageCollection GetGarbageCollectionRun',
  branches: 'GetBranchProtectionRules SetBranchProtectionRules',
  pr: 'ReadPullRequest WritePullRequest ListPullRequests',
  catalog:
    'ListNamespaces GetNamespace CreateNamespace UpdateNamespace DeleteNamespace ListTables ReadTable CreateTable UpdateTable DeleteTable ListViews ReadView CreateView UpdateView DeleteView',
};

export const knownActions: readonly string[] = Object.entries(byService).flatMap(([service, names]) =>
  names.split(' ').map(name => `${service}:${name}`),
);

/** Actions whose names contain a text. */
export function actionsLike(text: string): readonly string[] {
  const needle = text.toLowerCase();
  return knownActions.filter(action => action.toLowerCase().includes(needle));
}

/** What is wrong with the statements of a policy, given as JSON; `undefined` when they can be saved. */
export function problemOfStatements(text: string): string | undefined {
  let statements: unknown;
  try {
    statements = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!Array.isArray(statements) || statements.length === 0) return 'A policy is a list of at least one statement.';
  for (const [i, statement] of statements.entries()) {
    const problem = problemOf(statement);
    if (problem !== undefined) return `Statement ${i + 1}: ${problem}`;
  }
  return undefined;
}

function problemOf(statement: unknown): string | undefined {
  if (typeof statement !== 'object' || statement === null) return 'it must be an object.';
  const { effect, action, resource, ...more } = statement as Readonly<Record<string, unknown>>;
  if (effect !== 'allow' && effect !== 'deny') return '"effect" must be "allow" or "deny".';
  if (!Array.isArray(action) || action.length === 0 || !action.every(name => typeof name === 'string'))
    return '"action" must be a list of actions.';
  if (typeof resource !== 'string' || resource === '') return '"resource" must be a text, such as "*".';
  const unknown = Object.keys(more).find(name => name !== 'condition');
  return unknown === undefined ? undefined : `"${unknown}" is not a member of a statement.`;
}

/** Actions that nothing asks for: probably misspelt. @param text statements without a problem. */
export function unknownActions(text: string): readonly string[] {
  const statements = JSON.parse(text) as readonly { readonly action: readonly string[] }[];
  return statements.flatMap(({ action }) => action).filter(name => !knownActions.some(known => isMatch(name, known, wildcardSyntax)));
}
