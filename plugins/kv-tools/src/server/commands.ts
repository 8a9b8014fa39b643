/** The commands `srv kv`. What a command does is loaded when it runs. */
import { SrvError } from '@srv/kernel';
import type { OptionValue, ServerCommand } from '@srv/lib-commands';

const about = 'Records of the key-value database';

const dump: ServerCommand = {
  name: 'kv dump',
  about,
  summary: 'Write records to a file that `srv kv load` reads',
  options: [
    { name: 'sections', type: 'string', default: 'auth,pulls,kv', description: 'what to write, separated by commas' },
    { name: 'partition', type: 'texts', description: 'partition in addition to those of the sections; may be repeated' },
    { name: 'all-partitions', type: 'bool', description: 'all that the plugins know of, uncommitted changes included' },
    { name: 'output', short: 'o', type: 'string', default: '-', description: 'a new file; - is standard output' },
  ],
  async run(context, { options }) {
    const sections = textOf(options['sections']);
    const count = await (await import('./dump.js')).dump(context, {
      sections: sections === '' ? [] : sections.split(','),
      partitions: (options['partition'] ?? []) as readonly string[],
      allPartitions: options['all-partitions'] === true,
      output: textOf(options['output']),
    });
    process.stderr.write(`${count} records written\n`);
    return 0;
  },
};

const load: ServerCommand = {
  name: 'kv load',
  about,
  summary: 'Write the records of a dump; - is standard input',
  arguments: [{ name: 'file', description: 'written by `srv kv dump`', required: true }],
  options: [
    {
      name: 'strategy',
      type: 'string',
      choices: ['skip', 'overwrite'],
      default: 'skip',
      description: 'what happens to records that exist',
    },
    {
      name: 'repository',
      type: 'string',
      description: 'only its pull requests, protection and metadata, into the repository of that name',
    },
  ],
  async run(context, { args: [file = ''], options }) {
    const { written, skipped } = await (await import('./load.js')).load(context, file, {
      strategy: options['strategy'] === 'overwrite' ? 'overwrite' : 'skip',
      repository: options['repository'] === undefined ? undefined : textOf(options['repository']),
    });
    process.stderr.write(`${written} records written, ${skipped} skipped\n`);
    return 0;
  },
};

const scan: ServerCommand = {
  name: 'kv scan',
  about,
  summary: 'Print the records of a partition, a line of JSON each, secrets left out',
  arguments: [{ name: 'partition', description: 'such as auth', required: true }],
  options: [
    { name: 'prefix', type: 'string', default: '', description: 'beginning of the keys' },
    { name: 'limit', type: 'int', default: 0, description: 'records at most; 0 is all' },
    { name: 'raw', type: 'bool', description: 'values as stored, in base64' },
  ],
  async run(context, { args: [partition = ''], options }) {
    const limit = Number(options['limit']);
    if (limit < 0) throw new SrvError('invalid', `--limit ${limit}: it must be a whole number from 0`);
    const { scan: print } = await import('./scan.js');
    await print(context, partition, { prefix: textOf(options['prefix']), limit, raw: options['raw'] === true });
    return 0;
  },
};

const repair: ServerCommand = {
  name: 'kv repair',
  about,
  summary: 'Say what is damaged in an embedded database and what a repair would lose; nothing changes without --yes',
  options: [{ name: 'yes', short: 'y', type: 'bool', description: 'repair it; the damaged files are kept in a folder of their own' }],
  async run(context, { options }) {
    const { text, exitCode } = await (await import('./repair.js')).repair(context, options['yes'] === true);
    context.print(text);
    return exitCode;
  },
};

const version: ServerCommand = {
  name: 'kv version',
  about,
  summary: 'Print the schema version of the database; fails when this release cannot read it',
  async run(context) {
    const { text, readable } = await (await import('./version.js')).schemaVersion(context);
    context.print(text);
    return readable ? 0 : 1;
  },
};

/** For operators: the records of the key-value database, while no server runs on an embedded one. */
export const kvCommands: readonly ServerCommand[] = [dump, load, scan, repair, version];

function textOf(value: OptionValue): string {
  return typeof value === 'string' ? value : '';
}
