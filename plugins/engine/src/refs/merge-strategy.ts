/** Commit metadata with the strategy of a merge. Existing clients read it. */
export const strategyKey = '.lakefs.merge.strategy';
