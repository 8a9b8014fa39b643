export * from './branch.js';
export * from './commit.js';
export * from './repository.js';
export * from './staged-entry.js';
