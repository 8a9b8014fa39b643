/**
 * Which packages of a `node_modules` folder may be plugins. Most of hundreds are not, and reading all of their manifests takes
 * longer than the rest of a start: the few are remembered until a package is added, removed or replaced, or the release changes.
 */
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolderSync, packageFolders, readManifest } from '@srv/kernel';
import { cacheFolder } from '../cache-folder.js';
import { version } from '../version.js';

/** What is remembered of a `node_modules` folder. */
interface Remembered {
  /** Which release found them: all times in an image may be the same in the next one. */
  readonly release: string;
  /**
   * Of the folder and of its scopes: times at which their entries were added or removed last, and at which they changed at all, in
   * nanoseconds since 1970. Those who make images set the former to what they like.
   */
  readonly stamps: Readonly<Record<string, string>>;
  /** Folders of plugins, and of packages that are links: what these lead to is edited in place. */
  readonly folders: readonly string[];
}

type Memory = Readonly<Record<string, Remembered>>;

/** A folder that changed this recently may change again without a new time. */
const settledMs = 2000;

const memoryFile = (): string => join(cacheFolder(), 'packages.json');

/** @returns the folders to read manifests from, for each `node_modules` folder. */
export function rememberedPackages(
  modules: readonly string[],
  file = memoryFile(),
  release = version(),
): ReadonlyMap<string, readonly string[]> {
  const memory = read(file);
  const found = new Map<string, Remembered>();
  for (const folder of modules) found.set(folder, holds(memory[folder], release) ?? search(folder, release));
  if (modules.some(folder => found.get(folder) !== memory[folder])) write(file, memory, found);
  return new Map([...found].map(([folder, { folders }]) => [folder, folders]));
}

function holds(remembered: Remembered | undefined, release: string): Remembered | undefined {
  if (remembered?.release !== release) return undefined;
  return Object.entries(remembered.stamps).every(([folder, stamp]) => stampOf(folder) === stamp) ? remembered : undefined;
}

function search(modules: string, release: string): Remembered {
  const scopes = namesIn(modules).filter(name => name.startsWith('@'));
  const folders = [modules, ...scopes.map(name => join(modules, name))];
  const stamps = Object.fromEntries(folders.map(folder => [folder, stampOf(folder)]));
  const links = new Set(folders.flatMap(linksIn));
  return { release, stamps, folders: packageFolders(modules).filter(folder => links.has(folder) || mayBePlugin(folder)) };
}

/** What is wrong with a plugin is said by those who use it. */
function mayBePlugin(folder: string): boolean {
  try {
    return readManifest(folder, 'package') !== undefined;
  } catch {
    return true;
  }
}

function linksIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter(entry => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty: there is no such folder. */
function stampOf(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.mtimeNs} ${found.ctimeNs}` : '';
}

function read(file: string): Memory {
  try {
    const memory = JSON.parse(readFileSync(file, 'utf8')) as Memory;
    return Object.values(memory).every(isWhole) ? memory : {};
  } catch {
    return {};
  }
}

function isWhole({ stamps, folders }: Partial<Remembered>): boolean {
  return typeof stamps === 'object' && stamps !== null && Array.isArray(folders) && folders.every(folder => typeof folder === 'string');
}

/** Replaces the file at once. What cannot be kept is searched again. */
function write(file: string, memory: Memory, found: ReadonlyMap<string, Remembered>): void {
  const isSettled = ({ stamps }: Remembered): boolean =>
    Object.values(stamps).every(stamp => Number(BigInt(stamp.split(' ')[0] || 0) / 1_000_000n) < Date.now() - settledMs);
  const kept = [...found].filter(([, remembered]) => isSettled(remembered));
  const others = Object.entries(memory).filter(([folder]) => !found.has(folder) && stampOf(folder) !== '');
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    makeFolderSync(dirname(file), 0o700);
    writeFileSync(temporary, JSON.stringify(Object.fromEntries([...others, ...kept])), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    removeQuietly(temporary);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Its folder is not one.
  }
}
