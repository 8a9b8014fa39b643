/** The table of all operations. */
import { groupOperations } from './auth-groups.js';
import { policyOperations } from './auth-policies.js';
import { userOperations } from './auth-users.js';
import { backgroundOperations } from './background.js';
import { branchOperations } from './branches.js';
import { commitOperations } from './commits.js';
import { configOperations } from './config.js';
import { importOperations } from './imports.js';
import { metadataOperations } from './metadata.js';
import { multipartOperations } from './multipart.js';
import { objectWriteOperations } from './object-writes.js';
import { objectOperations } from './objects.js';
import { prefixOperations } from './prefixes.js';
import { protectionOperations } from './protection.js';
import { pullOperations } from './pulls.js';
import { refOperations } from './refs.js';
import { refsDumpOperations } from './refs-dump.js';
import { repositoryOperations } from './repositories.js';
import { setupOperations } from './setup.js';
import { stagingOperations } from './staging.js';
import { symlinkOperations } from './symlinks.js';
import { tagOperations } from './tags.js';
import type { AnyOperation } from '../operation.js';

export const operations = {
  ...setupOperations,
  ...configOperations,
  ...userOperations,
  ...groupOperations,
  ...policyOperations,
  ...repositoryOperations,
  ...branchOperations,
  ...tagOperations,
  ...commitOperations,
  ...refOperations,
  ...objectOperations,
  ...objectWriteOperations,
  ...stagingOperations,
  ...multipartOperations,
  ...prefixOperations,
  ...symlinkOperations,
  ...importOperations,
  ...backgroundOperations,
  ...refsDumpOperations,
  ...protectionOperations,
  ...pullOperations,
  ...metadataOperations,
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;

/** The table for those who walk over it. */
export const operationList: readonly AnyOperation[] = Object.values(operations);

/** Every path starts with it. */
export const basePath = '/api/v1';
