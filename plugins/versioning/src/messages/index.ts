export * from './branch.js';
export * from './commit.js';
export * from './protection.js';
export * from './pull-request.js';
export * from './repository.js';
export * from './staged-entry.js';
