/** Programs named `cli-<name>` on PATH, which run as `cli <name>`. */

import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { endOf } from './child-end.js';
import type { Readable } from 'node:stream';

interface PathPlugin {
  readonly name: string;
  readonly path: string;
  /** Why it does not run; absent: it does. */
  readonly problem?: string | undefined;
}

const prefix = 'cli-';

/** Every candidate, in the order of PATH. @param builtIn first words of the commands there are, which win. */
export function findPathPlugins(path: string, builtIn: ReadonlySet<string>): PathPlugin[] {
  const first = new Map<string, string>();
  return foldersOf(path)
    .flatMap(candidates)
    .map(({ name, path: file, executable }) => {
      const problem = !executable
        ? 'not executable'
        : builtIn.has(name)
          ? 'overshadowed by a built-in command'
          : first.has(name)
            ? `shadowed by ${first.get(name)}`
            : undefined;
      if (executable && !first.has(name)) first.set(name, file);
      return { name, path: file, problem };
    });
}

/** Path of the program that runs as `cli <name>`: the first executable one. */
export function findPathPlugin(name: string, path: string): string | undefined {
  if (name === '' || name.includes('/')) return undefined;
  return foldersOf(path)
    .map(folder => join(folder, prefix + name))
    .find(file => isFile(file) && isExecutable(file));
}

export interface PluginRun {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** Takes what it prints, to its end; absent: standard output and standard error are those of this program. */
  readonly take?: ((stdout: Readable, stderr: Readable) => Promise<unknown>) | undefined;
}

/** Runs a program with this one's standard input. @returns its exit code; 255 when a signal ended it. */
export async function runPathPlugin(
  path: string,
  args: readonly string[],
  { env = process.env, signal, take }: PluginRun = {},
): Promise<number> {
  const child = spawn(path, args, { env, stdio: take ? ['inherit', 'pipe', 'pipe'] : 'inherit' });
  const taken = child.stdout && child.stderr && take?.(child.stdout, child.stderr);
  const end = (): void => void child.kill('SIGINT');
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  try {
    // Ctrl-C reaches the program too, and how it ends decides.
    const code = await endOf(child, signal);
    await taken;
    return code ?? 255;
  } catch (error) {
    throw new Error(`failed to run plugin ${basename(path)}: ${messageOf(error)}`);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** An empty entry is the working folder. */
function foldersOf(path: string): string[] {
  return [...new Set(path.split(delimiter))].map(folder => folder || '.');
}

function candidates(folder: string): { name: string; path: string; executable: boolean }[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names
    .filter(name => name.startsWith(prefix) && name.length > prefix.length)
    .map(name => ({ name: name.slice(prefix.length), path: join(folder, name) }))
    .filter(({ path }) => isFile(path))
    .map(found => ({ ...found, executable: isExecutable(found.path) }));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
