/** The commands of `abuse`: load generators. */
import type { Command } from '@srv/lib-commands';
import { abuseCommit, abuseCreateBranches, abuseMerge } from './branches.js';
import { abuseLinkSameObject, abuseList, abuseRandomDelete, abuseRandomRead, abuseRandomWrite } from './objects.js';

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
