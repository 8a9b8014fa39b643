/** What is in a linked directory, in the order in which an object store would list it. */

import { lstat, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareBytes } from '@srv/lib-records';
import { isAbandoned, isIgnored } from './names.js';
import type { BigIntStats, Dirent } from 'node:fs';
import type { Permissions } from './posix.js';

export interface LocalEntry extends Permissions {
  /** Below the directory, with `/` between the parts and at the end of a folder's. */
  readonly path: string;
  /** `link`: a symbolic link that is stored as one. `special`: a link, device or the like that is ignored. */
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  /** Where a `link` leads, as it is written there. */
  readonly link?: string;
  readonly size: number;
  /** Unix seconds. */
  readonly mtime: number;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** Of a folder: it contains nothing of interest. */
  readonly empty?: boolean;
}

export interface WalkOptions {
  /** Yield folders, too. */
  readonly folders: boolean;
  /** Yield files that are not regular as `special` instead of failing. */
  readonly skipSpecial: boolean;
  /** Yield symbolic links as such, unless they are skipped. Absent: the caller does not offer that choice. */
  readonly links?: boolean;
}

/** @throws Error for a file that is not regular, unless it may be skipped. */
export async function* walk(root: string, options: WalkOptions, below = ''): AsyncGenerator<LocalEntry> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (below === '' && error.code === 'ENOENT') return [];
    throw error;
  });
  for await (const { name, facts } of withFacts(join(root, below), sorted(entries))) {
    const path = below + name;
    const place = join(root, path);
    if (facts.isDirectory()) {
      let count = 0;
      const inside = walk(root, options, path);
      const first = await inside.next();
      if (!first.done) count++;
      if (options.folders) yield { ...describe(path, 'folder', facts), empty: count === 0 };
      if (!first.done) yield first.value;
      yield* inside;
    } else if (facts.isFile()) yield describe(path, 'file', facts);
    else if (options.skipSpecial) yield describe(path, 'special', facts);
    else if (options.links && facts.isSymbolicLink()) yield await describeLink(root, path, facts);
    else
      throw new Error(
        `${place}: not a regular file; set local.skip_non_regular_files to leave such files out${options.links === false && facts.isSymbolicLink() ? ', or local.symlink_support to keep links' : ''}`,
      );
  }
}

interface NamedEntry {
  readonly entry: Dirent;
  /** With `/` at the end of a folder's. */
  readonly name: string;
}

/** Files looked at at a time; one after the other takes several times as long. */
const together = 64;

/** Without what is ignored and what went away meanwhile. Nothing is looked at before what is in a folder in front of it is taken. */
async function* withFacts(folder: string, entries: readonly NamedEntry[]): AsyncGenerator<NamedEntry & { readonly facts: BigIntStats }> {
  let batch: NamedEntry[] = [];
  for (const [i, named] of entries.entries()) {
    const { name } = named.entry;
    if (!isIgnored(name)) batch.push(named);
    else if (await isAbandoned(join(folder, name))) await rm(join(folder, name), { force: true }).catch(() => undefined);
    if (i < entries.length - 1 && batch.length < together && !named.entry.isDirectory()) continue;
    const found = await Promise.all(
      batch.map(async each => ({ ...each, facts: await factsOf(join(folder, each.entry.name), each.entry) })),
    );
    for (const { facts, ...each } of found) if (facts !== undefined) yield { ...each, facts };
    batch = [];
  }
}

function sorted(entries: readonly Dirent[]): NamedEntry[] {
  return entries
    .map(entry => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }))
    .sort((a, b) => compareBytes(a.name, b.name));
}

/** `undefined` for a file that went away meanwhile. */
async function factsOf(place: string, { name }: Dirent): Promise<BigIntStats | undefined> {
  try {
    return await lstat(place, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (name.includes('\u{fffd}')) throw new Error(`${place}: the name is not valid UTF-8; rename the file`, { cause: error });
    return undefined;
  }
}

function describe(path: string, kind: LocalEntry['kind'], facts: BigIntStats): LocalEntry {
  return {
    path,
    kind,
    size: kind === 'file' ? Number(facts.size) : 0,
    mtime: Number(facts.mtimeNs / 1_000_000_000n),
    mode: Number(facts.mode),
    uid: Number(facts.uid),
    gid: Number(facts.gid),
    stamp: stampOf(facts),
  };
}

function stampOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs, mode].join(':');
}

/** Milliseconds that a change may show the time of an earlier one; file systems that count whole seconds, or two, need more. */
const tick = 50;
const coarseTick = 3000;

/** Unix milliseconds from which on a further change of a file gives it another stamp. */
export function settledAt(stamp: string): number {
  const changed = BigInt(stamp.split(':')[3] ?? 0);
  return Number(changed / 1_000_000n) + (changed % 1_000_000_000n === 0n ? coarseTick : tick);
}

/** Stamp of what is at a path now; `undefined` when nothing is. */
export async function stampAt(place: string): Promise<string | undefined> {
  const facts = await factsAt(place);
  return facts && stampOf(facts);
}

/** The file below `root` as it is now, or with `links` the symbolic link; `undefined` when it does not exist. */
export async function fileAt(root: string, path: string, { links }: Pick<WalkOptions, 'links'>): Promise<LocalEntry | undefined> {
  const facts = await factsAt(join(root, path));
  if (links && facts?.isSymbolicLink()) return describeLink(root, path, facts);
  return facts?.isFile() ? describe(path, 'file', facts) : undefined;
}

async function describeLink(root: string, path: string, facts: BigIntStats): Promise<LocalEntry> {
  return { ...describe(path, 'link', facts), link: await readlink(join(root, path)) };
}

async function factsAt(place: string): Promise<BigIntStats | undefined> {
  return lstat(place, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
