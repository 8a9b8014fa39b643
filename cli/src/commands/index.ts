/** The built-in commands. */
import type { Command } from '@srv/lib-commands';
import { withAliases } from './aliases.js';
import { annotate } from './annotate.js';
import { branchCreate } from './branch-create.js';
import { branchDelete } from './branch-delete.js';
import { branchList } from './branch-list.js';
import { branchReset } from './branch-reset.js';
import { branchRevert } from './branch-revert.js';
import { branchShow } from './branch-show.js';
import { cherryPick } from './cherry-pick.js';
import { commit } from './commit.js';
import { completion } from './completion.js';
import { config } from './config.js';
import { diff } from './diff.js';
import { docs } from './docs.js';
import { findMergeBase } from './find-merge-base.js';
import { fsCat } from './fs-cat.js';
import { fsDownload } from './fs-download.js';
import { fsLs } from './fs-ls.js';
import { fsPresign } from './fs-presign.js';
import { fsRm } from './fs-rm.js';
import { fsStage } from './fs-stage.js';
import { fsStat } from './fs-stat.js';
import { fsUpdateMetadata } from './fs-update-metadata.js';
import { fsUpload } from './fs-upload.js';
import { identity } from './identity.js';
import { log } from './log.js';
import { merge } from './merge.js';
import { pluginList } from './plugin-list.js';
import { refsDump } from './refs-dump.js';
import { refsRestore } from './refs-restore.js';
import { repl } from './repl.js';
import { repoCreate } from './repo-create.js';
import { repoCreateBare } from './repo-create-bare.js';
import { repoDelete } from './repo-delete.js';
import { repoList } from './repo-list.js';
import { run } from './run.js';
import { showCommit } from './show-commit.js';
import { tagCreate } from './tag-create.js';
import { tagDelete } from './tag-delete.js';
import { tagList } from './tag-list.js';
import { tagShow } from './tag-show.js';

export const builtInCommands: readonly Command[] = withAliases([
  annotate,
  branchCreate,
  branchDelete,
  branchList,
  branchReset,
  branchRevert,
  branchShow,
  cherryPick,
  commit,
  completion,
  config,
  diff,
  docs,
  findMergeBase,
  fsCat,
  fsDownload,
  fsLs,
  fsPresign,
  fsRm,
  fsStage,
  fsStat,
  fsUpdateMetadata,
  fsUpload,
  identity,
  log,
  merge,
  pluginList,
  refsDump,
  refsRestore,
  repl,
  repoCreate,
  repoCreateBare,
  repoDelete,
  repoList,
  run,
  showCommit,
  tagCreate,
  tagDelete,
  tagList,
  tagShow,
]);
