/** Opens the folder of the store; what goes wrong with it is reported in one line that names the folder. */
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SrvError, key, makeFolder, messageOf, silentLogger, writableRemedy } from '@srv/kernel';
import { ownFolderName } from '@srv/lib-records/owned-folder';
import { createBlockStore } from '@srv/lib-stores/block';
import { DurableFolders } from './files/durable-folders.js';
import { journalFolder } from './files/file-name.js';
import { Roots } from './files/roots.js';
import { TemporaryFolder } from './files/temporary.js';
import { journalLimits } from './journal/journal-segments.js';
import { readBootId, recoverJournals } from './journal/other-journals.js';
import { LocalDriver } from './store.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Root } from './files/roots.js';
import type { JournalLimits } from './journal/journal-segments.js';

export interface OpenOptions {
  /** Folder, created when missing. */
  readonly path: string;
  /** Whether a write is on the disk when it is acknowledged. Default: true. */
  readonly syncs?: boolean;
  readonly importEnabled?: boolean;
  readonly importHidden?: boolean;
  /** Absolute folders outside `path` that may be read. */
  readonly allowedExternalPrefixes?: readonly string[];
  readonly log?: Logger;
  /** What identifies this run of the operating system. Default: what it says itself. */
  readonly bootId?: string;
  readonly journalLimits?: Partial<JournalLimits>;
}

/** @throws SrvError `config` when the folder cannot be made or written. */
export async function openLocalBlockStore({ path, allowedExternalPrefixes = [], ...options }: OpenOptions): Promise<BlockStore> {
  const base = resolve(path);
  try {
    await makeFolder(base, 0o700);
    const roots = new Roots({ path: base, real: await realpath(base) }, await Promise.all(allowedExternalPrefixes.map(openExternal)));
    return await openStore(roots, options);
  } catch (error) {
    throw new SrvError(
      'config',
      `blockstore.local.path: ${base}: path provided is not writable (${messageOf(error)}); ${writableRemedy(error)}`,
      { cause: error },
    );
  }
}

async function openStore(
  roots: Roots,
  {
    syncs = true,
    importEnabled = false,
    importHidden = false,
    log = silentLogger,
    bootId,
    journalLimits: limits,
  }: Omit<OpenOptions, 'path'>,
): Promise<BlockStore> {
  const temporary = await TemporaryFolder.open(roots.base.path, syncs);
  const folders = new DurableFolders(roots, { syncs });
  const parent = join(roots.base.real, journalFolder);
  const journal = { parent, bootId: bootId ?? (await readBootId()), log };
  const recovered = recoverJournals({ ...journal, roots, folders, temporary: temporary.path });
  const adopted = await recovered.catch(async (error: unknown) => {
    await temporary.close();
    throw error;
  });
  const driver = new LocalDriver({
    roots,
    temporary,
    folders,
    journal: { ...journal, folder: join(parent, ownFolderName()), limits: { ...journalLimits, ...limits }, adopted },
    importEnabled,
    importHidden,
  });
  return createBlockStore(driver);
}

/** A prefix may appear later, such as a share that is not mounted yet. */
async function openExternal(prefix: string): Promise<Root> {
  const path = resolve(key.expandHome(prefix));
  return { path, real: await realpath(path).catch(() => path) };
}
