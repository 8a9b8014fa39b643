/** The program `srv`: every command imports what it needs when it runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { guardOutputs } from '../outputs.js';
import { version } from '../version.js';

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
    .addOption(new Option('-o, --output <format>', 'form of the list').choices(['json', 'table']).default('table'))
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
  return program;
}

/** All values of an option that is given more than once. */
function gather(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function countOfWorkers(text: string): number {
  const count = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 256) throw new InvalidArgumentError('it must be a whole number from 1 to 256');
  return count;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Commands of plugins are loaded when they may be meant: the others start without looking for them. */
async function completed(program: Command): Promise<Command> {
  const argv = process.argv.slice(2);
  const { addPluginCommands, firstWord } = await import('./plugin-commands.js');
  const word = firstWord(argv);
  if (program.commands.some(command => command.name() === word || command.aliases().includes(word ?? ''))) return program;
  if (word === undefined && argv.some(each => each === '-v' || each === '--version')) return program;
  const at = argv.findIndex(each => each === '-c' || each === '--config');
  const config = at < 0 ? argv.find(each => each.startsWith('--config='))?.slice('--config='.length) : argv[at + 1];
  await addPluginCommands(program, config === undefined ? {} : { config }, word);
  return program;
}

guardOutputs('srv');
try {
  await (await completed(createProgram())).parseAsync();
} catch (error) {
  // The reader of standard output has left: that is not a failure.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit(0);
  const { failureText } = await import('./failure.js');
  process.stderr.write(`${failureText(error)}\n`);
  process.exit(1);
}
