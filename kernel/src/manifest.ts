/** The manifest of a plugin package: the `srv` member of its package.json, read without loading code. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearest } from './config/index.js';
import { messageOf } from './errors.js';

/** Version of the contract between the kernel and plugins. A plugin made for another one is refused. */
export const pluginApi = 1;

/** `inline`: given as an object instead of a package. */
export type Origin = 'built-in' | 'package' | 'path' | 'inline';
/** The module a program loads first: `srv` loads `server`, `cli` loads `cli`. */
export type Part = 'server' | 'cli';
/** Every module a manifest can name. */
export type Entry = Part | 'config' | 'operations' | 'page' | 'shell';

/** The `srv` member of a plugin's package.json, completed. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly origin: Origin;
  readonly folder: string;
  /** Plugins that must be there, and are applied and started first. */
  readonly requires: readonly string[];
  /** Plugins that are applied and started first when they are there. */
  readonly after: readonly string[];
  /** Position of its layer: ground plugins start first and stop last. */
  readonly layer: number;
  /** Applied before the others, so that it can supply `plugins.*`. */
  readonly bootstrap: boolean;
  /** First words of the commands of its `cli` part, which is loaded for these alone; absent: for every command. */
  readonly commands?: readonly string[];
  /** Absolute file names. */
  readonly entries: Readonly<Partial<Record<Entry, string>>>;
}

const keyword = 'srv-plugin';
const layers = ['ground', 'engine', 'features', 'faces'];
const entryNames = ['server', 'cli', 'config', 'operations', 'page', 'shell'] as const;
const members = ['api', 'name', 'requires', 'after', 'bootstrap', 'layer', 'commands', ...entryNames];

/** Plugins that do not say where they belong are features. */
export const layerOf = (name: unknown): number => layers.indexOf(layers.find(s => s === name) ?? 'features');

/**
 * Reads the manifest of the package in `folder`.
 * @returns `undefined` when the package is not a plugin.
 * @throws Error that says what is wrong with the manifest.
 */
export function readManifest(folder: string, origin: Origin): Manifest | undefined {
  const file = join(folder, 'package.json');
  const content = contentOf(file, origin === 'path' ? '' : `"${keyword}"`);
  if (content === undefined && origin !== 'path') return undefined;
  if (content === undefined) throw new Error(`there is no ${file}`);
  if (origin !== 'path' && !content.includes(`"${keyword}"`)) return undefined;
  const json = parse(content);
  const keywords = json['keywords'];
  if (!Array.isArray(keywords) || !keywords.includes(keyword)) {
    if (origin === 'path') throw new Error(`package.json lacks the keyword "${keyword}"`);
    return undefined;
  }
  const srv = json['srv'];
  if (typeof srv !== 'object' || srv === null) throw new Error('package.json lacks the "srv" member');
  return complete(srv as Readonly<Record<string, unknown>>, { version: String(json['version'] ?? '0.0.0'), origin, folder });
}

/** Files are read into it one after the other: of hundreds of packages a few are plugins, and the rest need not become text. */
const start = Buffer.allocUnsafeSlow(32_768);

/** @returns `undefined`: there is no such file; empty: what it holds does not matter, since it lacks the text. */
function contentOf(file: string, needed: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    const length = readSync(descriptor, start, 0, start.length, 0);
    if (length === start.length) return readFileSync(file, 'utf8');
    const content = start.subarray(0, length);
    return content.includes(needed) ? content.toString('utf8') : '';
  } finally {
    closeSync(descriptor);
  }
}

function parse(content: string): Record<string, unknown> {
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`package.json is not valid JSON: ${messageOf(error)}`, { cause: error });
  }
}

function complete(srv: Readonly<Record<string, unknown>>, facts: Pick<Manifest, 'version' | 'origin' | 'folder'>): Manifest {
  const unknown = Object.keys(srv).find(member => !members.includes(member));
  if (unknown !== undefined) throw new Error(`"srv.${unknown}" is not a member of the manifest${suggestion(unknown)}`);
  const { api, name, bootstrap = false, layer } = srv;
  if (api !== pluginApi) {
    throw new Error(
      api === undefined
        ? `"srv.api" is missing; a plugin made for this kernel says "api": ${pluginApi}`
        : `it is made for version ${JSON.stringify(api)} of the plugin contract, and this kernel offers version ${pluginApi}; install a release of the plugin with "api": ${pluginApi}`,
    );
  }
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
    throw new Error('"srv.name" must be lower-case letters, digits and dashes');
  const entries: Partial<Record<Entry, string>> = {};
  for (const entry of entryNames) {
    const path = srv[entry];
    if (path === undefined) continue;
    if (typeof path !== 'string') throw new Error(`"srv.${entry}" must be the name of a file, such as "./${entry}.js"`);
    entries[entry] = resolve(facts.folder, path);
  }
  return {
    ...facts,
    name,
    requires: namesOf(srv, 'requires'),
    after: namesOf(srv, 'after'),
    layer: layerOf(layer),
    bootstrap: bootstrap === true,
    ...(srv['commands'] === undefined ? {} : { commands: namesOf(srv, 'commands', 'first words of commands') }),
    entries,
  };
}

function namesOf(
  srv: Readonly<Record<string, unknown>>,
  member: 'requires' | 'after' | 'commands',
  what = 'plugin names',
): readonly string[] {
  const names: unknown = srv[member] ?? [];
  if (!Array.isArray(names) || !names.every((name): name is string => typeof name === 'string'))
    throw new Error(`"srv.${member}" must be a list of ${what}`);
  return names;
}

function suggestion(member: string): string {
  const found = nearest(member, members);
  return found === undefined ? `; it may have ${members.join(', ')}` : `; did you mean "${found}"?`;
}
