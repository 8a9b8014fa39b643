/** Names of resources, as policies have them. */

export const branchResource = (repository: string, branch: string): string => `arn:lakefs:fs:::repository/${repository}/branch/${branch}`;
export const repositoryResource = (repository: string): string => `arn:lakefs:fs:::repository/${repository}`;
