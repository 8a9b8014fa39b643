/** What linked directories inside of git work trees want of git. Without git, or outside of one, nothing. */

import { execFile } from 'node:child_process';
import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { replaceFile } from '@srv/lib-commands';
import { indexNameIn } from './index-file.js';

const run = promisify(execFile);

/** @returns its line of output, or `undefined` when it fails or git is missing. */
async function git(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  return run('git', ['-C', folder, ...args], { timeout: 10_000 }).then(
    ({ stdout }) => stdout.replace(/\n$/, ''),
    () => undefined,
  );
}

/** Top folder of the work tree; `undefined` outside of one. */
export async function gitTopLevel(folder: string): Promise<string | undefined> {
  const top = await git(folder, 'rev-parse', '--show-toplevel');
  return top === '' ? undefined : top;
}

const begin = '# ignored by cli local';
const foreignBegin = '# ignored by lakectl local';
const end = '# End ignored by cli local';
const foreignEnd = '# End ignored by lakectl local';

/**
 * Keeps all but the index of a linked folder out of git.
 * @returns the file that was written; `undefined` outside of a work tree.
 * @throws Error for the top folder of a work tree, and for a `.gitignore` that is a symbolic link.
 */
export async function ignoreInGit(folder: string): Promise<string | undefined> {
  const top = await gitTopLevel(folder);
  if (top === undefined) return undefined;
  const below = relative(await realpath(top), await realpath(folder))
    .split(sep)
    .join('/');
  if (below === '') throw new Error(`directory '${folder}' is a git repository, please specify a sub-directory`);
  const file = join(top, '.gitignore');
  const facts = await lstat(file).catch(() => undefined);
  if (facts?.isSymbolicLink())
    throw new Error(`${file} is a symbolic link, which git does not follow; replace it with a regular file, or use --gitignore=false`);
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const after = withIgnored(before, below, await indexNameIn(folder));
  if (after === before) return file;
  await replaceFile(file, temporary => writeFile(temporary, after, { mode: (facts?.mode ?? 0o644) & 0o777 }));
  return file;
}

/** The text of a `.gitignore` in whose section all but the index of a folder is ignored. @param folder with `/` between the parts. */
export function withIgnored(text: string, folder: string, index: string): string {
  const entries = linesFor(patternFor(folder), index);
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const from = lines.findIndex(line => line === begin || line === foreignBegin);
  if (from < 0) return `${[...lines, ...section(entries)].join('\n')}\n`;
  const rest = lines.slice(from + 1);
  const closing = rest.findIndex(line => line === end || line === foreignEnd);
  const blank = rest.findIndex(line => line.trim() === '');
  const length = closing >= 0 ? closing : blank >= 0 ? blank : rest.length;
  // Earlier versions wrote names as they are: such lines match other files, or even include them.
  const mistaken = linesFor(folder, index).filter(line => !entries.includes(line));
  const kept = rest.slice(0, length).filter(line => line.trim() !== '' && !line.startsWith('#') && !mistaken.includes(line));
  const after = rest.slice(closing >= 0 ? length + 1 : length);
  return `${[...lines.slice(0, from), ...section([...kept, ...entries]), ...after].join('\n')}\n`;
}

function linesFor(pattern: string, index: string): string[] {
  return [`${pattern}/*`, `!${pattern}/${index}`];
}

/** Matches only the folder of this name. A line break, which a pattern cannot contain, may be any character. */
function patternFor(folder: string): string {
  return /[\\[\]*?\n]|^[#!]/.test(folder) ? `/${folder.replace(/[\\[\]*?]/g, '\\$&').replace(/\n/g, '?')}` : folder;
}

function section(entries: readonly string[]): string[] {
  return [begin, ...new Set(entries), end];
}

const hosts: Readonly<Record<string, string>> = { 'github.com': '/commit/', 'gitlab.com': '/-/commit/', 'bitbucket.org': '/commits/' };

/** Metadata of a commit made from within a work tree: the commit of git, and where to look at it. */
export async function gitMetadata(folder: string): Promise<Record<string, string>> {
  const commit = await git(folder, 'rev-parse', '--short', 'HEAD');
  if (!commit) return {};
  const origin = await git(folder, 'remote', 'get-url', 'origin');
  return { git_commit_id: commit, ...commitUrl(origin ?? '', commit) };
}

/** @param origin URL of a remote of git. */
export function commitUrl(origin: string, commit: string): Record<string, string> {
  const [, host = '', owner, project] = /(?:^|@|\/\/)([\w.-]+)[/:]([\w.-]+)\/([\w.-]+)\.git$/.exec(origin) ?? [];
  const path = Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  return path === undefined ? {} : { [`::lakefs::${host}::url[url:ui]`]: `https://${host}/${owner}/${project}${path}${commit}` };
}
