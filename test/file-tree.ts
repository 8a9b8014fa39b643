/** Real files in folders, and their checksums. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Path below a folder, with `/` → SHA-256 of the content in hexadecimal digits. */
export type Checksums = Map<string, string>;

/** Regular files below a folder, sorted; symbolic links are left out. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

export async function checksums(folder: string): Promise<Checksums> {
  const sums: Checksums = new Map();
  for (const file of await filesBelow(folder)) sums.set(file, sha256(await readFile(join(folder, file))));
  return sums;
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export async function writeFiles(folder: string, files: Iterable<readonly [path: string, content: string]>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/**
 * Fills `folder` with thousands of files as people have them: the npm client and the headers of the running Node
 * installation (without OpenSSL's, of which there are thousands alike), and some with odd names and sizes; where the
 * installation lacks those, 2,000 generated ones.
 */
export async function realTree(folder: string): Promise<void> {
  const installation = resolve(dirname(process.execPath), '..');
  const sources = [join('lib', 'node_modules', 'npm'), join('include', 'node')].filter(part => existsSync(join(installation, part)));
  for (const part of sources) {
    for (const file of await filesBelow(join(installation, part))) {
      if (file.startsWith('openssl')) continue;
      const target = join(folder, part, file);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(installation, part, file), target);
    }
  }
  const copied = sources.length > 0 ? (await filesBelow(folder)).length : 0;
  await writeFiles(folder, generated(Math.max(50, 2000 - copied)));
}

/** Fills `folder` with 120 generated files, some of them in no folder: for stores that take their time. */
export async function smallTree(folder: string): Promise<void> {
  await writeFiles(folder, generated(100));
  await writeFiles(
    folder,
    Array.from({ length: 20 }, (_, i): [string, string] => [`single ${i}.txt`, `single ${i}\n`]),
  );
}

/** Sizes from nothing to 64 KiB, names with spaces and letters beyond ASCII. */
function* generated(count: number): Generator<[string, string]> {
  for (let i = 0; i < count; i++) {
    const content = `file ${i}\n`.repeat((i * 37) % 6500);
    yield [`generated/${i % 40}/a name ${i % 7} ä/${i}.txt`, content];
  }
}
