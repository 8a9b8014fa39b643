/** The commands of the engine: repositories, refs, commits, objects. They need nothing but the server. */

import { withAliases } from './aliases.js';
import { annotate } from './annotate.js';
import { branchCreate } from './branch-create.js';
import { branchDelete } from './branch-delete.js';
import { branchDeleted } from './branch-deleted.js';
import { branchList } from './branch-list.js';
import { branchReflog } from './branch-reflog.js';
import { branchReset } from './branch-reset.js';
import { branchRevert } from './branch-revert.js';
import { branchShow } from './branch-show.js';
import { branchUndelete } from './branch-undelete.js';
import { cherryPick } from './cherry-pick.js';
import { commit } from './commit.js';
import { diff } from './diff.js';
import { findMergeBase } from './find-merge-base.js';
import { fsCat } from './fs-cat.js';
import { fsCp } from './fs-cp.js';
import { fsLs } from './fs-ls.js';
import { fsMv } from './fs-mv.js';
import { fsPresign } from './fs-presign.js';
import { fsRm } from './fs-rm.js';
import { fsStage } from './fs-stage.js';
import { fsStat } from './fs-stat.js';
import { fsUpdateMetadata } from './fs-update-metadata.js';
import { identity } from './identity.js';
import { log } from './log.js';
import { merge } from './merge.js';
import { repoCreate } from './repo-create.js';
import { repoCreateBare } from './repo-create-bare.js';
import { repoDelete } from './repo-delete.js';
import { repoList } from './repo-list.js';
import { repoMoveStorage } from './repo-move-storage.js';
import { showCommit } from './show-commit.js';
import { tagCreate } from './tag-create.js';
import { tagDelete } from './tag-delete.js';
import { tagList } from './tag-list.js';
import { tagShow } from './tag-show.js';
import type { Command } from '@srv/lib-commands';

export { diffLine } from './diff.js';
export * from './output/commit-graph.js';
export * from './output/objects.js';

export const engineCommands: readonly Command[] = withAliases([
  annotate,
  branchCreate,
  branchDelete,
  branchDeleted,
  branchList,
  branchReflog,
  branchReset,
  branchRevert,
  branchShow,
  branchUndelete,
  cherryPick,
  commit,
  diff,
  findMergeBase,
  fsCat,
  fsCp,
  fsLs,
  fsMv,
  fsPresign,
  fsRm,
  fsStage,
  fsStat,
  fsUpdateMetadata,
  identity,
  log,
  merge,
  repoCreate,
  repoCreateBare,
  repoDelete,
  repoList,
  repoMoveStorage,
  showCommit,
  tagCreate,
  tagDelete,
  tagList,
  tagShow,
]);
