/** Operations of features that may be missing: a feature is one folder, and what crosses packages works without it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describedOperations } from '@srv/api/surface';
import { repositoryRoot } from './programs.js';
import type authOperations from '@srv/auth/operations';

const plugins = join(repositoryRoot, 'plugins');

/** Whether the workspace has the feature. */
export const hasFeature = (folder: string): boolean => existsSync(join(plugins, folder));

/** Every operation of the workspace, for clients of these tests. */
export const workspaceOperations: typeof authOperations = Object.fromEntries(
  (await describedOperations(plugins)).map(operation => [operation.operationId, operation]),
) as typeof authOperations;

interface Page {
  readonly results: readonly Readonly<Record<string, string>>[];
}

/** What tests call of features they do not depend on. */
export interface FeatureCalls {
  setBranchProtectionRules(input: object): Promise<void>;
  getBranchProtectionRules(input: object): Promise<unknown>;
  createPullRequest(input: object): Promise<{ readonly id: string }>;
  listPullRequests(input: object): Promise<Page>;
  mergePullRequest(input: object): Promise<unknown>;
}
