/** The program `srv`: every command imports what it needs when it runs. */
import { Command, Option } from 'commander';
import { version } from '../version.js';

/** Options every command of `srv` understands. */
export interface SrvFlags {
  readonly config?: string;
  readonly localSettings?: boolean;
  readonly quickstart?: boolean;
}

const administratorCommands: readonly { readonly name: 'setup' | 'superuser'; readonly alias?: string; readonly description: string }[] = [
  { name: 'setup', alias: 'init', description: 'Set up the installation: create the first administrator' },
  { name: 'superuser', description: 'Create another administrator' },
];

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
    .action(async (_options, command: Command) => {
      const { run } = await import('./run.js');
      await run(command.optsWithGlobals());
    });

  program
    .command('repl')
    .description('The shell inside the server: kernel, config and services, without listening')
    .option('-e, --eval <line>', 'line to run instead of asking for lines')
    .action(async (_options, command: Command) => {
      process.exitCode = await (await import('./repl.js')).serverRepl(command.optsWithGlobals());
    });
  for (const { name, alias, description } of administratorCommands) {
    const command = program
      .command(name)
      .description(description)
      .requiredOption('--user-name <name>', 'name of the administrator')
      .option('--access-key-id <id>', 'access key ID; made up when absent')
      .option('--secret-access-key <key>', 'secret access key; made up when absent')
      .action(async () => {
        const { text, exitCode } = await (await import('./administrators.js'))[name](command.optsWithGlobals());
        if (text !== '') print(text);
        process.exitCode = exitCode;
      });
    command.addOption(new Option('--no-check', 'go on when the installation is set up already').hideHelp(name === 'setup'));
    if (alias !== undefined) command.alias(alias);
  }

  const plugins = program.command('plugins').description('What the server is made of');
  plugins
    .command('list')
    .description('List plugins: where they come from, what they add, why one is off')
    .option('--hooks', 'show which plugin taps which hook')
    .option('-o, --output <format>', 'json or table', 'table')
    .action(async (_options, command: Command) => {
      const { listPlugins } = await import('./plugins-list.js');
      print(await listPlugins(command.optsWithGlobals()));
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
  return program;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

try {
  await createProgram().parseAsync();
} catch (error) {
  const { failureText } = await import('./failure.js');
  process.stderr.write(`${failureText(error)}\n`);
  process.exit(1);
}
