/** The operations of the engine. */
import { archiveOperations } from './archive.js';
import { backgroundOperations } from './background.js';
import { branchLogOperations } from './branch-log.js';
import { branchOperations } from './branches.js';
import { clientMultipartOperations } from './client-multipart.js';
import { commitOperations } from './commits.js';
import { compactionOperations } from './compaction.js';
import { configOperations } from './config.js';
import { metadataOperations } from './metadata.js';
import { multipartOperations } from './multipart.js';
import { objectBatchOperations } from './object-batch.js';
import { objectWriteOperations } from './object-writes.js';
import { objectOperations } from './objects.js';
import { prefixOperations } from './prefixes.js';
import { refOperations } from './refs.js';
import { refsDumpOperations } from './refs-dump.js';
import { repositoryOperations } from './repositories.js';
import { sessionOperations } from './session.js';
import { stagingOperations } from './staging.js';
import { storageMoveOperations } from './storage-move.js';
import { symlinkOperations } from './symlinks.js';
import { tagOperations } from './tags.js';

const operations = {
  ...configOperations,
  ...sessionOperations,
  ...repositoryOperations,
  ...archiveOperations,
  ...branchOperations,
  ...branchLogOperations,
  ...compactionOperations,
  ...tagOperations,
  ...commitOperations,
  ...refOperations,
  ...objectOperations,
  ...objectWriteOperations,
  ...objectBatchOperations,
  ...stagingOperations,
  ...multipartOperations,
  ...clientMultipartOperations,
  ...prefixOperations,
  ...symlinkOperations,
  ...storageMoveOperations,
  ...backgroundOperations,
  ...refsDumpOperations,
  ...metadataOperations,
};

/** Operations by id. */
export type EngineOperations = typeof operations;

export default operations;

declare module '@srv/lib-api' {
  interface Operations extends EngineOperations {}
}
