/** Opens the folder of the store; what can go wrong with a folder is told in one line that names it. */
import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SrvError, messageOf, key } from '@srv/kernel';
import { Roots } from './roots.js';
import { LocalBlockStore } from './store.js';
import { TemporaryFolder } from './temporary.js';
import type { BlockStore } from '@srv/kernel';
import type { Root } from './roots.js';

export interface OpenOptions {
  /** Folder, created when missing. */
  readonly path: string;
  readonly importEnabled?: boolean;
  readonly importHidden?: boolean;
  /** Absolute folders outside `path` that may be read. */
  readonly allowedExternalPrefixes?: readonly string[];
}

/** @throws SrvError `config` when the folder cannot be made or written. */
export async function openLocalBlockStore({
  path,
  importEnabled = false,
  importHidden = false,
  allowedExternalPrefixes = [],
}: OpenOptions): Promise<BlockStore> {
  const base = resolve(path);
  try {
    await mkdir(base, { recursive: true, mode: 0o700 });
    const roots = new Roots({ path: base, real: await realpath(base) }, await Promise.all(allowedExternalPrefixes.map(openExternal)));
    return new LocalBlockStore(roots, await TemporaryFolder.open(base), { importEnabled, importHidden });
  } catch (error) {
    throw new SrvError(
      'config',
      `blockstore.local.path: ${base}: path provided is not writable (${messageOf(error)}); make it writable for this user or choose another folder`,
      { cause: error },
    );
  }
}

/** A prefix may appear later, such as a share that is not mounted yet. */
async function openExternal(prefix: string): Promise<Root> {
  const path = resolve(key.expandHome(prefix));
  return { path, real: await realpath(path).catch(() => path) };
}
