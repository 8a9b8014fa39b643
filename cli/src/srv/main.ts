/** The program `srv`: every command imports what it needs when it runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../version.js';
import type { DumpFlags } from './kv/dump.js';

function createProgram(): Command {
  const program = new Command('srv')
    .description('Versioned object store: the server')
    .version(`srv version ${version()}`, '-v, --version')
    .option('-c, --config <file>', 'configuration file')
    .option('--local-settings', 'embedded database and local folder, secrets made at the first run')
    .option('--quickstart', 'local settings with well-known credentials, for tutorials only')
    .configureHelp({ showGlobalOptions: true });

  program
    .command('run')
    .description('Run the server')
    .option('--workers <count>', 'processes on this machine that share the port and the stores', countOfWorkers)
    .option('--strict', 'refuse to start when the embedded database has lost records')
    .action(async (_options, command: Command) => {
      const { run } = await import('./run.js');
      await run(command.optsWithGlobals());
    });

  program
    .command('repl')
    .description('The shell inside the server: kernel, config and services; its commands work on this kernel')
    .option('-e, --eval <line>', 'line to run instead of asking for lines; several run one after the other', gather)
    .option('-k, --keep-going', 'continue after a line that failed')
    .action(async (_options, command: Command) => {
      process.exitCode = await (await import('./repl.js')).serverRepl(command.optsWithGlobals());
    });
  const plugins = program.command('plugins').alias('plugin').description('What the server is made of');
  plugins
    .command('list')
    .description('List plugins: where they come from, what they add, why one is off')
    .option('--hooks', 'show which plugin taps which hook')
    .option('-o, --output <format>', 'json or table', 'table')
    .action(async (_options, command: Command) => {
      const { listPlugins } = await import('./plugins-list.js');
      print(await listPlugins(command.optsWithGlobals()));
    });
  plugins
    .command('new <name>')
    .description('Lay out a plugin with a server part, a configuration key, a command and a test that passes')
    .option('--folder <folder>', 'of the package; default: plugins/<name> in a workspace, else ./srv-plugin-<name>')
    .action(async (name: string, { folder }: { readonly folder?: string }) => {
      const { newPlugin } = await import('./plugin-new/scaffold.js');
      print(await newPlugin({ name, folder, cwd: process.cwd() }));
    });

  const config = program.command('config').description('The configuration');
  config
    .command('show')
    .description('Print the effective configuration, secrets masked')
    .option('--sources', 'show where each value comes from')
    .action(async (_options, command: Command) => {
      const { showConfig } = await import('./config-show.js');
      print(await showConfig(command.optsWithGlobals()));
    });
  config
    .command('reference')
    .description('Print every key with type, default and meaning')
    .option('-o, --output <format>', 'json or table', 'table')
    .action(async (_options, command: Command) => {
      const { configReference } = await import('./config-reference.js');
      print(await configReference(command.optsWithGlobals()));
    });
  addKvCommands(program);
  return program;
}

/** For operators: the records of the key-value database, while no server runs on an embedded one. */
function addKvCommands(program: Command): void {
  const kv = program.command('kv').description('Records of the key-value database');
  kv.command('dump')
    .description('Write records to a file that `srv kv load` reads')
    .addOption(new Option('--sections <names>', 'what to write, separated by commas').default('auth,pulls,kv'))
    .option('--partition <name...>', 'partitions besides those of the sections')
    .option('--all-partitions', 'all that the plugins know of, uncommitted changes included')
    .option('-o, --output <file>', 'a new file; - is standard output', '-')
    .action(async (_options, command: Command) => {
      const { dump } = await import('./kv/dump.js');
      const flags = command.optsWithGlobals<Omit<DumpFlags, 'sections'> & { readonly sections: string }>();
      const count = await dump({ ...flags, sections: flags.sections === '' ? [] : flags.sections.split(',') });
      process.stderr.write(`${count} records written\n`);
    });
  kv.command('load <file>')
    .description('Write the records of a dump; - is standard input')
    .addOption(new Option('--strategy <name>', 'what happens to records that exist').choices(['skip', 'overwrite']).default('skip'))
    .option('--repository <name>', 'only its pull requests, protection and metadata, into the repository of that name')
    .action(async (file: string, _options, command: Command) => {
      const { load } = await import('./kv/load.js');
      const { written, skipped } = await load(file, command.optsWithGlobals());
      process.stderr.write(`${written} records written, ${skipped} skipped\n`);
    });
  kv.command('scan <partition>')
    .description('Print the records of a partition, a line of JSON each, secrets left out')
    .option('--prefix <text>', 'beginning of the keys', '')
    .option('--limit <count>', 'records at most; 0 is all', wholeNumber, 0)
    .option('--raw', 'values as stored, in base64')
    .action(async (partition: string, _options, command: Command) => {
      await (await import('./kv/scan.js')).scan(partition, command.optsWithGlobals(), print);
    });
  kv.command('repair')
    .description('Say what is damaged in an embedded database and what a repair would lose; nothing changes without --yes')
    .option('-y, --yes', 'repair it; the damaged files are kept in a folder of their own')
    .action(async (_options, command: Command) => {
      const { text, exitCode } = await (await import('./kv/repair.js')).repair(command.optsWithGlobals());
      print(text);
      process.exitCode = exitCode;
    });
  kv.command('version')
    .description('Print the schema version of the database; fails when this release cannot read it')
    .action(async (_options, command: Command) => {
      const { text, readable } = await (await import('./kv/version.js')).schemaVersion(command.optsWithGlobals());
      print(text);
      process.exitCode = readable ? 0 : 1;
    });
}

/** All values of an option that is given more than once. */
function gather(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function countOfWorkers(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 256) throw new InvalidArgumentError('it must be from 1 to 256');
  return count;
}

function wholeNumber(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 0');
  return Number(text);
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Commands of plugins are loaded when they may be meant: the others start without looking for them. */
async function completed(program: Command): Promise<Command> {
  const argv = process.argv.slice(2);
  const { addPluginCommands, firstWord, withoutPlugins } = await import('./plugin-commands.js');
  const word = firstWord(argv);
  if (program.commands.some(command => command.name() === word || command.aliases().includes(word ?? ''))) return program;
  if (word === undefined && argv.some(each => each === '-v' || each === '--version')) return program;
  const at = argv.findIndex(each => each === '-c' || each === '--config');
  const config = at < 0 ? argv.find(each => each.startsWith('--config='))?.slice('--config='.length) : argv[at + 1];
  await addPluginCommands(program, config === undefined ? {} : { config }).catch(
    word === undefined || word === 'help' ? withoutPlugins : rethrow,
  );
  return program;
}

function rethrow(error: unknown): never {
  throw error;
}

try {
  await (await completed(createProgram())).parseAsync();
} catch (error) {
  const { failureText } = await import('./failure.js');
  process.stderr.write(`${failureText(error)}\n`);
  process.exit(1);
}
