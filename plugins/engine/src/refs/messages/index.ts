export { decodeStaged, encodeStaged } from '../../tables/format/index.js';
export * from './branch.js';
export * from './branch-jump.js';
export * from './commit.js';
export * from './repository.js';
