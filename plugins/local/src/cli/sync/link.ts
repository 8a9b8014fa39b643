/** Links directories with places in repositories. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockName } from '@srv/engine/transfer';
import { makeFolder } from '@srv/kernel';
import { formatUri, isAnswerError } from '@srv/lib-commands';
import { ignoreInGit } from './git.js';
import { asFolder, indexNameIn } from './index-file.js';
import type { CommandContext, PathUri } from '@srv/lib-commands';

export interface LinkTarget {
  readonly src: PathUri;
  readonly head: string;
}

/** @throws Error when the URI names an object rather than a folder, or its ref does not exist. */
export async function linkTarget(context: CommandContext, uri: PathUri): Promise<LinkTarget> {
  const api = await context.client();
  const { repository, ref, path } = uri;
  const { id: head } = await api.getCommit({ repository, commitId: ref });
  const src = asFolder(uri);
  if (src !== uri) {
    const found = await api.statObject({ repository, ref, path }).catch((error: unknown) => {
      if (isAnswerError(error, 404)) return undefined;
      throw error;
    });
    if (found) throw new Error(`${formatUri(uri)} is an existing object and cannot be used as a reference source`);
  }
  return { src, head };
}

/** Makes the directory and, unless it was declined, keeps its content out of git. */
export async function prepareFolder(context: CommandContext, folder: string, gitignore: boolean): Promise<void> {
  await makeFolder(folder);
  if (!gitignore) return;
  const file = await ignoreInGit(folder);
  if (file !== undefined) context.tell(`Location added to ${file}`);
}

export async function isEmptyFolder(folder: string): Promise<boolean> {
  return readdir(folder).then(
    names => names.every(name => name === lockName),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return true;
      throw error;
    },
  );
}

/** Where `a` and `A` are one file, objects can overwrite each other. Call it once the index is there. */
export async function warnOfCase({ env, warn }: CommandContext, folder: string): Promise<void> {
  if (env.CLI_SUPPRESS_CASE_INSENSITIVE_WARNING !== undefined) return;
  const ignored = await stat(join(folder, (await indexNameIn(folder)).toUpperCase())).then(
    () => true,
    () => false,
  );
  if (ignored) warn(`${folder} is on a file system that ignores case: objects whose paths differ only in case cannot both be there`);
}
