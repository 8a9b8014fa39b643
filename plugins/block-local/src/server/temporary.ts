/**
 * Unfinished files: `<base>/.srv-tmp/<host>-<process>-<random>/`, a folder per store, so that several servers can share a
 * base folder and each can tell what a crash left behind.
 */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { unless } from './file-errors.js';
import { temporaryFolder } from './file-name.js';

/** Unfinished files of other machines: we cannot ask whether their process lives. */
const foreignAgeMs = 24 * 3_600_000;

const host = hostname().replace(/[^A-Za-z0-9.]/g, '_');
/** Our process number may have been another's before. */
const startedAtMs = Date.now() - process.uptime() * 1000;

export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Removes what crashed processes left below `base` and makes a folder of our own. */
  static async open(base: string): Promise<TemporaryFolder> {
    const parent = join(base, temporaryFolder);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parent)) {
      if (await isLeftOver(parent, name)) await rm(join(parent, name), { recursive: true, force: true });
    }
    const path = await mkdtemp(join(parent, `${host}-${process.pid}-`));
    return new TemporaryFolder(path);
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

async function isLeftOver(parent: string, name: string): Promise<boolean> {
  const [, owner, pid] = /^(.+)-(\d+)-[^-]+$/.exec(name) ?? [];
  if (owner === host && Number(pid) !== process.pid) return !isAlive(Number(pid));
  // Undefined: another server that starts now was quicker.
  const { mtimeMs = Number.POSITIVE_INFINITY } = (await unless(stat(join(parent, name)), 'ENOENT')) ?? {};
  return owner === host ? mtimeMs < startedAtMs : Date.now() - mtimeMs > foreignAgeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
