/** `srv plugin new NAME`: lays out a plugin that builds, runs and passes its test. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { SrvError, findPlugins, makeFolder, messageOf } from '@srv/kernel';
import { builtInCommands } from '../../commands/index.js';
import { pluginPlaces } from '../../places.js';
import { shellWord } from '../shell-word.js';
import { gitignore, packageJson, settings, tsconfig } from './package-files.js';
import { placeOf } from './place.js';
import { buildSteps, readmeFile } from './readme-file.js';
import { cliFile, commandFile, configFile, counterFile, serverFile, testFile } from './source-files.js';
import type { PluginLocation } from './place.js';

export interface NewPlugin {
  readonly name: string;
  /** Of the package; absent: chosen by where `cwd` is. */
  readonly folder?: string | undefined;
  readonly cwd: string;
}

/**
 * Writes the package; after a failure nothing is left.
 * @returns what was made and what to type next.
 * @throws SrvError `invalid` for a name that no plugin can have, `not_unique` for a folder that exists.
 */
export async function newPlugin({ name, folder, cwd }: NewPlugin): Promise<string> {
  checkName(name);
  const place = placeOf(name, folder, cwd);
  if (existsSync(place.folder))
    throw new SrvError(
      'not_unique',
      `${place.folder} exists already and is not changed; choose another name, or another folder with --folder`,
    );
  await write(place, filesOf(name, place));
  return nextSteps(name, place, cwd);
}

function checkName(name: string): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name) || name.length > 64)
    throw new SrvError(
      'invalid',
      `plugin name ${JSON.stringify(name)}: it must be lower-case letters, digits and dashes, begin with a letter and have at most 64 characters; try ${suggestion(name)}`,
    );
  const command = builtInCommands.find(c => c.name.split(' ')[0] === name);
  if (command)
    throw new SrvError(
      'invalid',
      `plugin name ${name}: the plugin's commands begin with its name, and cli ${name} is built in; choose another name`,
    );
  const other = findPlugins({ ...pluginPlaces(), paths: [] }).manifests.find(m => m.name === name);
  if (other) throw new SrvError('not_unique', `plugin name ${name}: there is such a plugin in ${other.folder}; choose another name`);
}

/** The nearest name that is allowed. */
function suggestion(name: string): string {
  const allowed = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-$/g, '')
    .slice(0, 64);
  return allowed === '' ? 'commit-counter' : allowed;
}

function filesOf(name: string, place: PluginLocation): Readonly<Record<string, string>> {
  return {
    'tsconfig.json': tsconfig(place),
    'README.md': readmeFile(name, place),
    'src/config.ts': configFile(name),
    'src/server/index.ts': serverFile(name),
    'src/server/commit-counter.ts': counterFile(),
    'src/cli/index.ts': cliFile(name),
    'src/cli/hello.ts': commandFile(name),
    [`test/${name}.test.ts`]: testFile(name),
    ...(place.workspace === undefined ? { '.gitignore': gitignore } : {}),
    'package.json': packageJson(name, place),
  };
}

/** Beside its place first, so that the folder appears complete or not at all. */
async function write({ folder, workspace }: PluginLocation, files: Readonly<Record<string, string>>): Promise<void> {
  const parent = dirname(folder);
  const unfinished = join(parent, `.srv-plugin-${randomUUID()}`);
  const leftovers = [unfinished];
  try {
    const made = await makeFolder(parent);
    if (made !== undefined) leftovers.push(made);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(unfinished, path)), { recursive: true });
      await writeFile(join(unfinished, path), content);
    }
    await rename(unfinished, folder);
    leftovers.push(folder);
    if (workspace !== undefined) await addReference(workspace, folder);
  } catch (error) {
    // What could not be created need not be removed; the original failure is reported.
    for (const leftover of leftovers) await rm(leftover, { recursive: true, force: true }).catch(() => undefined);
    throw new SrvError('unavailable', `${folder} could not be created, and nothing was left behind: ${messageOf(error)}`, { cause: error });
  }
}

/** `tsc -b` at the root builds what the root's tsconfig.json refers to. */
async function addReference(workspace: string, folder: string): Promise<void> {
  const file = join(workspace, 'tsconfig.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as { references: { readonly path: string }[] };
  const path = relative(workspace, folder);
  // Among the plugins, in the order of names.
  const after = config.references.findLastIndex(r => r.path.startsWith('plugins/') && r.path < path);
  config.references.splice(after < 0 ? config.references.length : after + 1, 0, { path });
  const unfinished = `${file}.unfinished`;
  try {
    await writeFile(unfinished, settings(config));
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

function nextSteps(name: string, place: PluginLocation, cwd: string): string {
  const { folder, workspace } = place;
  const here = shortPath(cwd, workspace ?? folder);
  const tryIt =
    workspace === undefined
      ? [`SRV_PLUGINS_PATHS=${shellWord(folder)} srv plugins list`, `SRV_PLUGINS_PATHS=${shellWord(folder)} cli ${name} hello you`]
      : ['npm install', 'npx srv plugins list', `npx cli ${name} hello you`];
  return [
    `plugin ${name} made in ${shortPath(cwd, folder)}`,
    '',
    'Next:',
    ...(here === '' ? [] : [`  cd ${shellWord(here)}`]),
    ...[...buildSteps(name, place), ...tryIt].map(line => `  ${line}`),
    '',
    'The parts are explained in the guide for plugin authors, README.md of @srv/kernel.',
  ].join('\n');
}

/** Relative where that is shorter. */
function shortPath(cwd: string, folder: string): string {
  const path = relative(cwd, folder);
  return path.length < folder.length ? path : folder;
}
