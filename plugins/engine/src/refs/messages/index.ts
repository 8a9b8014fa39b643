export * from './branch.js';
export * from './commit.js';
export * from './repository.js';
export { decodeStaged, encodeStaged } from '../../tables/format/index.js';
