/** One run of `cli`: parse, execute, print, choose the exit code. */

import { setMaxListeners } from 'node:events';
import { isatty } from 'node:tty';
import { CommandTable, buildProgram, firstWord, normaliseHelp, normaliseSwitches, parserComplaint, programName } from '@srv/engine/shell';
import { homeFolder, messageOf } from '@srv/kernel';
import {
  ExitError,
  UsageError,
  describeTerminal,
  drawProgress,
  echoLine,
  exitCodeOf,
  failureJson,
  failureText,
  formats,
  interrupted,
  isExitError,
  noProgress,
  parallelismOf,
  uriReader,
} from '@srv/lib-commands';
import { builtInCommands } from './commands/index.js';
import { configurationOf } from './config/configuration.js';
import { readSettings } from './config/settings.js';
import { printResult } from './output/print.js';
import { guardOutputs } from './outputs.js';
import { pluginPlaces } from './places.js';
import { findPathPlugin, findPathPlugins, runPathPlugin } from './plugins/path-plugins.js';
import { loadPluginPackages } from './plugins/plugin-packages.js';
import { readPluginSwitches } from './plugins/plugin-switches.js';
import type { Invocation, RegisteredCommand } from '@srv/engine/shell';
import type { CommandContext, CommandInput, Format, OptionValue } from '@srv/lib-commands';
import type { Settings } from './config/settings.js';
import type {} from './context.js';
import type { LoadedPackages } from './plugins/plugin-packages.js';

type Globals = CommandInput['options'];

/** @returns the exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  guardOutputs(programName);
  const word = argv[firstWord(argv)];
  let table = new CommandTable([]);
  try {
    if (word !== undefined || !asksVersion(argv)) table = await loadCommands(word);
    if (argv[0] === '__complete') return await printCandidates(argv.slice(1), table);
    const external = pluginOf(argv, table);
    if (external) return await runPathPlugin(external.path, external.args);
    const commands = matchingCommands(argv, table.list());
    const program = buildProgram({
      commands,
      run: invocation => execute(invocation, table),
      showVersion: globals => showVersion(globals, table),
    });
    await program.parseAsync(normaliseSwitches(normaliseHelp(argv), commands), { from: 'user' });
    return 0;
  } catch (error) {
    return report(error, argv, table);
  }
}

function asksVersion(argv: readonly string[]): boolean {
  return argv.some(word => word === '-v' || word === '--version');
}

/**
 * What the parser must know: the command that is called; with another word, or when help is asked for, those that begin with the first
 * one; all, if no command does.
 */
function matchingCommands(argv: readonly string[], commands: readonly RegisteredCommand[]): readonly RegisteredCommand[] {
  const at = firstWord(argv);
  const words = at < 0 ? [] : argv.slice(at);
  const named = commands.map(registered => ({ registered, name: registered.command.name.split(' ') }));
  const group = named.filter(({ name }) => name[0] === words[0]);
  const called = group
    .filter(({ name }) => name.every((word, index) => word === words[index]))
    .sort((a, b) => b.name.length - a.name.length);
  if (called[0] && !argv.some(word => helpWords.includes(word))) return [called[0].registered];
  return group.length > 0 ? group.map(({ registered }) => registered) : commands;
}

const helpWords: readonly string[] = ['--help', '-h', 'help'];

/** Lets plugins add names to the shell's JavaScript. */
let addNames = (_names: Record<string, unknown>): void => {};

/** Commands that work with all others. */
const wideWords: readonly string[] = ['__complete', 'completion', 'docs', 'help', 'plugin', 'repl', 'run'];

/**
 * Built-in commands, then those of plugins; a broken plugin costs a warning, not the program.
 * @param word first word of the command that is meant: plugins that have others are not loaded. Absent: all are.
 */
export async function loadCommands(word?: string): Promise<CommandTable> {
  const { paths, ...switches } = await readPluginSwitches({ env: process.env, home: homeFolder(), warn });
  const places = { ...pluginPlaces(), paths };
  if (word === undefined || wideWords.includes(word))
    return tableOf(await loadPluginPackages(places, { switches, remembers: word !== 'plugin' }));
  const table = tableOf(await loadPluginPackages(places, { isMeant: words => words.includes(word), switches, remembers: true }));
  if (table.firstWords().has(word)) return table;
  // For an unknown word, too: all commands are loaded to suggest the nearest one.
  return tableOf(await loadPluginPackages(places, { switches }));
}

function tableOf({ packages, hooks, problem: mistake }: LoadedPackages): CommandTable {
  if (mistake !== undefined) warn(`no plugin is switched off: ${mistake}`);
  const table = new CommandTable(packages);
  for (const command of builtInCommands) table.add(command, 'cli');
  try {
    hooks.commands.call(table);
  } catch (error) {
    warn(`some commands of plugins are missing: ${messageOf(error)}`);
  }
  addNames = names => hooks.repl.call(names);
  for (const { name, folder, problem } of table.packages)
    if (problem !== undefined) warn(`plugin ${name} in ${folder} is skipped: ${problem}`);
  return table;
}

const said = new Set<string>();

/** Once, however often the commands are loaded. */
function warn(line: string): void {
  if (said.has(line)) return;
  said.add(line);
  process.stderr.write(`Warning: ${line}\n`);
}

/** A program `cli-<word>` on PATH, when the first word is not a built-in command. */
function pluginOf(argv: readonly string[], table: CommandTable) {
  const at = firstWord(argv);
  const word = argv[at];
  if (word === undefined || table.firstWords().has(word)) return undefined;
  const path = findPathPlugin(word, process.env.PATH ?? '');
  return path === undefined ? undefined : { path, args: argv.slice(at + 1) };
}

async function execute({ command, input, globals }: Invocation, table: CommandTable): Promise<void> {
  const context = await createContext(globals, table, { willWrite: command.name === 'config' });
  try {
    const data = await command.run(context, input);
    const format = formatOf(globals);
    await printResult(command, data, context, { stream: process.stdout, input, format });
    if (command.failed?.(data)) throw new ExitError(1);
  } catch (error) {
    throw context.signal.aborted ? interrupted(error) : error;
  }
}

interface ContextOptions {
  /** The command writes the configuration: it need not be right. */
  readonly willWrite?: boolean;
  /** Default: aborted when the process is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

export async function createContext(
  globals: Globals,
  commands: CommandTable,
  { willWrite = false, signal = interruptSignal() }: ContextOptions = {},
): Promise<CommandContext> {
  const { env } = process;
  const terminal = terminalOf(globals);
  const settings = await readSettings({
    env,
    home: homeFolder(),
    cwd: process.cwd(),
    willWrite,
    file: globals.config ? String(globals.config) : undefined,
  });
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const warn = (line: string): void => tell(`${terminal.colours.yellowBright('Warning:')} ${line}`);
  for (const line of settings.warnings) warn(line);
  const format = formatOf(globals);
  let client: ReturnType<CommandContext['client']> | undefined;
  return {
    settings,
    configuration: configurationOf(settings, env, warn),
    terminal,
    signal,
    commands,
    env,
    tell,
    warn,
    home: homeFolder(),
    // Made when it is read: few commands do.
    get input() {
      return process.stdin;
    },
    verbose: globals.verbose === true,
    names: () => {
      const names: Record<string, unknown> = {};
      addNames(names);
      return names;
    },
    format,
    uri: uriReader(String(globals['base-uri'] ?? env.CLI_BASE_URI ?? '')),
    client: () => {
      // In a shell a login may follow.
      client ??= connect(settings, globals).catch((error: unknown) => {
        client = undefined;
        throw error;
      });
      return client;
    },
    echo: (label, uri) => {
      if (formatOf(globals) === undefined) process.stdout.write(`${echoLine(label, uri)}\n`);
    },
    confirm: async (operation, question, yes) => {
      const agreed = yes === true || (terminal.canAsk && (await (await import('./prompts.js')).agrees(question)));
      if (!agreed)
        throw new Error(
          terminal.canAsk ? `${operation} aborted` : `${operation} aborted: there is no terminal to ask at; use --yes to continue`,
        );
    },
    attempts: settings.values['server.retries.enabled'] ? settings.values['server.retries.max_attempts'] : 1,
    parallelism: option => parallelismOf(option, settings.values['options.parallelism']),
    progress: (title, { hidden = false } = {}) =>
      hidden || !process.stderr.isTTY || !terminal.interactive ? noProgress : drawProgress(title),
  };
}

async function connect(settings: Settings, globals: Globals) {
  const [{ createCliClient }, { createLog, traced }] = await Promise.all([import('./client.js'), import('./trace.js')]);
  const log = createLog(globals);
  return log ? traced(createCliClient(settings), log) : createCliClient(settings);
}

/** Aborted by the first interrupt, so that temporary files are removed; the second one, or two seconds, end the run. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  // Every transfer in progress listens, and their number is not limited.
  setMaxListeners(0, controller.signal);
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(interrupted());
      setTimeout(() => process.exit(130), 2000).unref();
      process.once(name, () => process.exit(130));
    });
  }
  return controller.signal;
}

function terminalOf(globals: Globals) {
  const noColor = globals['no-color'] === true;
  return describeTerminal({
    env: process.env,
    // Without making the streams, which takes longer than a short command.
    stdoutIsTerminal: isatty(1),
    stdinIsTerminal: isatty(0),
    columns: isatty(1) ? process.stdout.columns : undefined,
    noColor,
  });
}

function formatOf(globals: Globals): Format | undefined {
  return formats.find(format => format === globals.output);
}

/** The server's version is shown if the server answers quickly. */
async function showVersion(globals: Globals, table: CommandTable): Promise<void> {
  const { version } = await import('./version.js');
  process.stdout.write(`${programName} version: ${version()}\n`);
  try {
    const { settings } = await createContext(globals, table);
    const { createCliClient } = await import('./client.js');
    const api = createCliClient(settings, { attempts: 1 });
    const { version_config: server } = await api.getConfig({}, { signal: AbortSignal.timeout(2000) });
    if (server?.version) process.stdout.write(`srv version: ${server.version}\n`);
    if (server?.upgrade_recommended)
      process.stdout.write(`The server is out of date (Available: ${server.latest_version ?? 'unknown'})\n${server.upgrade_url ?? ''}\n`);
  } catch (error) {
    if (globals.verbose === true) process.stderr.write(`${messageOf(error)}\n`);
  }
}

async function printCandidates(words: readonly string[], table: CommandTable): Promise<number> {
  const [{ complete, isTypeable }, { localPaths }] = await Promise.all([import('@srv/engine/shell'), import('./local-paths.js')]);
  const [before, partial] = [words.slice(0, -1), words.at(-1) ?? ''];
  // ~ has a meaning only without protection: the shell completes such files.
  const files = async (path: string): Promise<string[]> => (path.startsWith('~') ? [] : localPaths(path));
  const sources = {
    commands: table.list(),
    // Without those for the log: what is typed is not logged.
    context: ({ config }: Globals) => createContext({ config: homePath(config) }, table),
    localPaths: files,
    baseUri: process.env.CLI_BASE_URI,
  };
  const candidates = await complete(before, partial, sources).catch(() => []);
  const isFirst = firstWord([...before, 'word']) === before.length;
  const programs = isFirst ? findPathPlugins(process.env.PATH ?? '', table.firstWords()) : [];
  const names = programs.filter(({ name, problem }) => problem === undefined && name.startsWith(partial) && isTypeable(name));
  const found = [...candidates, ...names.map(({ name, path }) => ({ value: name, description: path }))];
  const lines = found.map(({ value, description }) => `${value}${description ? `\t${description}` : ''}\n`);
  await new Promise<void>(resolve => {
    process.stdout.write(lines.join(''), () => resolve());
  });
  // Not once all is done: the lookup of a host name cannot be cancelled, and the shell waits for this program.
  return process.exit(0);
}

/** A path of the line: what the shell would put for `~` is still to come. */
function homePath(path: OptionValue): OptionValue {
  return typeof path === 'string' ? path.replace(/^~(?=\/)/, homeFolder()) : path;
}

/** Looked for by hand: the failure may be that the words cannot be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) => /^(?:-o|--output)=?json$/.test(word) || (word === 'json' && /^(?:-o|--output)$/.test(argv[index - 1] ?? '')),
  );
}

/** Help is not a failure; the parser's errors are reworded. */
function report(error: unknown, argv: readonly string[], table: CommandTable): number {
  const { code, exitCode, message } = error as { code?: unknown; exitCode?: unknown; message?: unknown };
  if (isExitError(error)) return error.exitCode;
  if (typeof code === 'string' && code.startsWith('commander.')) {
    if (exitCode === 0) return 0;
    return report(new UsageError(parserComplaint(code, String(message), argv, table.list())), argv, table);
  }
  process.stderr.write(`${wantsJson(argv) ? failureJson(error) : failureText(error, terminalOf({}))}\n`);
  return exitCodeOf(error);
}
