/** Walks objects, a page at a time. */
import { throwIfAborted } from '@srv/kernel';
import { scheme } from './files/roots.js';
import { lastModifiedOf } from './files/written-file.js';
import { inPages } from './walk/walk.js';
import { walkSource } from './walk/walk-source.js';
import type { WalkOptions, WalkedObject } from '@srv/lib-stores/block';
import type { FactFinder, FileFacts } from './files/file-facts.js';
import type { ObjectFiles } from './files/object-files.js';
import type { Roots } from './files/roots.js';
import type { WalkedFile } from './walk/walk.js';

interface Folders {
  readonly roots: Roots;
  readonly objects: ObjectFiles;
  readonly facts: FactFinder;
  /** Whether external folders may be walked. */
  readonly importEnabled: boolean;
  /** Whether walks show names that begin with a dot. */
  readonly importHidden: boolean;
}

/** Objects per page of a walk; each may have to be read for its etag. */
const pageSize = 500;

/**
 * The objects below a folder, or the one object a URI names. Keys are relative to that folder; of one object the key is
 * its file name.
 * @throws SrvError `unsupported` outside the base folder without `import_enabled`, `not_found` when an external folder
 * is missing, otherwise as {@link Roots.find}.
 */
export async function* walkObjects(
  { roots, objects, facts: finder, importEnabled, importHidden }: Folders,
  uri: string,
  { after = '', signal, etags = true, facts: withFacts = true, isKnown }: WalkOptions,
): AsyncGenerator<readonly WalkedObject[]> {
  const options = { after, importEnabled, importHidden, isKnown };
  const { folder, files } = await walkSource(roots, objects, uri, options);
  const describe = async (found: readonly WalkedFile[]): Promise<WalkedObject[]> => {
    if (!withFacts) return found.map(({ key }) => namedObject(folder, key));
    const paths = found.map(({ path }) => path);
    const facts = await finder.of(paths, { etags });
    return found.flatMap(({ key }, i) => {
      const known = facts[i];
      // Removed while we walked.
      return known ? [walkedObject(folder, key, known)] : [];
    });
  };
  // The next page is read while this one is in use.
  let ahead: Promise<WalkedObject[]> | undefined;
  for await (const found of inPages(files, pageSize)) {
    throwIfAborted(signal);
    const next = describe(found);
    next.catch(() => {});
    const page = await ahead;
    ahead = next;
    if (page && page.length > 0) yield page;
  }
  const last = await ahead;
  throwIfAborted(signal);
  if (last && last.length > 0) yield last;
}

/** An object nothing but the name of which was asked for. */
function namedObject(folder: string, key: string): WalkedObject {
  return { relativeKey: key, address: `${scheme}://${folder}${key}`, size: 0, etag: '', lastModified: new Date(0) };
}

function walkedObject(folder: string, key: string, { state, etag }: FileFacts): WalkedObject {
  return {
    relativeKey: key,
    address: `${scheme}://${folder}${key}`,
    size: Number(state.size),
    etag,
    lastModified: lastModifiedOf(state),
    lastModifiedNanos: Number(state.mtimeNs % 1_000_000n),
  };
}
