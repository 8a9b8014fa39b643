/** What a walk's URI means: one object, a folder of the store, or an external folder. */
import { basename, join, posix } from 'node:path';
import { SrvError } from '@srv/kernel';
import { identifierType, splitScheme } from '@srv/lib-stores/block';
import { missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { escapedFolder, isPlain, isPlainSegment } from '../files/file-name.js';
import { scheme } from '../files/roots.js';
import { compareBytes, mergeWalks, walkEscaped, walkFolder } from './walk.js';
import type { ObjectFiles } from '../files/object-files.js';
import type { Roots } from '../files/roots.js';
import type { FolderWalk, WalkedFile } from './walk.js';

interface WalkSource {
  /** Path that keys are relative to, with its slash. */
  readonly folder: string;
  /** In byte order of their keys. */
  readonly files: AsyncIterable<WalkedFile>;
}

interface WalkOptions {
  /** Keys up to this one are left out. */
  readonly after: string;
  /** Whether external folders may be walked. */
  readonly importEnabled: boolean;
  /** Whether names that begin with a dot are shown. */
  readonly importHidden: boolean;
  readonly isKnown?: FolderWalk['isKnown'];
}

/**
 * @throws SrvError `invalid` and `forbidden` as {@link Roots.find}; `forbidden` for a folder that contains the base folder
 * under another path; `unsupported` for an external folder without `importEnabled`, `not_found` when it is missing. The walk of an external
 * folder fails with `invalid` where a name is not UTF-8.
 */
export async function walkSource(
  roots: Roots,
  objects: ObjectFiles,
  uri: string,
  { after, importEnabled, importHidden, isKnown }: WalkOptions,
): Promise<WalkSource> {
  const { scheme: found, rest: path } = splitScheme(uri) ?? {};
  if (found !== scheme || path === undefined) throw new SrvError('invalid', `${uri}: invalid address; it must start with ${scheme}://`);
  const folder = path.endsWith('/') ? path : `${path}/`;
  const bare = folder.slice(0, -1);
  const isBase = bare === roots.base.path;
  const name = isBase ? '' : roots.nameOf(bare);
  if (name === undefined) {
    roots.externalOf(bare);
    if (!importEnabled)
      throw new SrvError('unsupported', `${uri}: importing from folders is switched off; set blockstore.local.import_enabled`);
  }
  const real = await unless(roots.realFile(bare), ...missing);
  if (name === undefined) roots.checkAliases(bare, real ?? bare);
  if (path === bare && !isBase) {
    const single = await objects.find(roots.find({ namespace: '', identifier: uri, identifierType: identifierType.full }));
    if (single) return { folder: `${posix.dirname(bare)}/`, files: oneFile(basename(bare), single.path, after) };
  }
  const shown = (segment: string): boolean => importHidden || !segment.startsWith('.');
  if (name === undefined) {
    if (real === undefined) throw new SrvError('not_found', `${uri}: no such folder`);
    return { folder, files: walkFolder(real, { after, accepts: shown, demandsUtf8: true }) };
  }
  const escaped = walkEscaped(join(roots.base.path, escapedFolder), isBase ? '' : `${name}/`, {
    after,
    accepts: s => s === '' || shown(s),
  });
  if (real === undefined || !(isBase || isPlain(name))) return { folder, files: escaped };
  return { folder, files: mergeWalks(walkFolder(real, { after, accepts: s => shown(s) && isPlainSegment(s), isKnown }), escaped) };
}

async function* oneFile(key: string, path: string, after: string): AsyncGenerator<WalkedFile> {
  if (compareBytes(key, after) > 0) yield { key, path };
}
