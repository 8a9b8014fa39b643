/** Where records and objects of runs lie (actions sheet, sections 9.2 and 9.4). Repositories go by their name. */
export const partition = 'actions';

const key = (...parts: readonly string[]): Buffer => Buffer.from(parts.join('/'), 'utf8');

/** Prefix of everything of a repository but its runs in progress. */
export const repositoryKeys = (repository: string): Buffer => key('repos', repository, '');
export const runKey = (repository: string, runId: string): Buffer => key('repos', repository, 'runs', runId);
export const taskKey = (repository: string, runId: string, hookRunId: string): Buffer =>
  key('repos', repository, 'tasks', runId, hookRunId);
export const branchKey = (repository: string, branch: string, runId: string): Buffer => key('repos', repository, 'branches', branch, runId);
export const commitKey = (repository: string, commit: string, runId: string): Buffer => key('repos', repository, 'commits', commit, runId);
/** Runs of `pre-merge` by the commit that is merged; existing readers do not look for these keys. */
export const sourceKey = (repository: string, commit: string, runId: string): Buffer => key('repos', repository, 'sources', commit, runId);
/** Runs in progress, which existing readers do not look for. */
export const runningKey = (instance: string, repository: string, runId: string): Buffer => key('running', instance, repository, runId);

/** Objects relative to the storage namespace. @param folder of metadata, such as `_srv`. */
export const logObject = (folder: string, runId: string, hookRunId: string): string => `${folder}/actions/log/${runId}/${hookRunId}.log`;
export const manifestObject = (folder: string, runId: string): string => `${folder}/actions/log/${runId}/run.manifest`;

/** Folder of the outputs of runs made elsewhere. */
export const adoptedFolder = '_lakefs';
