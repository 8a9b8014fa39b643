/** The commands of `abuse`: load generators. */

import { abuseCommit, abuseCreateBranches, abuseMerge } from './branches.js';
import { abuseLinkSameObject, abuseList, abuseRandomDelete, abuseRandomRead, abuseRandomWrite } from './objects.js';
import type { Command } from '@srv/lib-commands';

export const commands: readonly Command[] = [
  abuseCommit,
  abuseCreateBranches,
  abuseLinkSameObject,
  abuseList,
  abuseMerge,
  abuseRandomDelete,
  abuseRandomRead,
  abuseRandomWrite,
];
