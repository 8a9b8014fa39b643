/** Commands that look at runs: `gc status`, `gc list`, `gc show`, `gc explain`, and `gc restore`. */
import {
  argument,
  defineCommand,
  everything,
  filledTextOf,
  labelled,
  listed,
  paginationOptions,
  repositoryArgument,
  required,
  table,
  textOf,
} from '@srv/lib-commands';
import { runText } from './run-text.js';
import type {} from '@srv/engine/operations';
import type { Client } from '@srv/lib-api/client';
import type { CommandInput } from '@srv/lib-commands';
import type {} from '../operations/index.js';
import type { WireRun } from '../operations/runs.js';

const runArgument = { name: 'run ID', description: 'ID of a run, as gc list shows it; absent: the newest' };

/** The named run, or the newest one. @throws Error if no run exists. */
async function namedRun(api: Client, repository: string, input: CommandInput): Promise<string> {
  const named = argument(input, 1);
  if (named !== '') return named;
  return (await newest(api, repository)).id;
}

async function newest(api: Client, repository: string): Promise<WireRun> {
  const { results } = await api.listGarbageCollections({ repository, amount: 1 });
  const [run] = results;
  if (!run) throw new Error(`garbage collection has never run in ${repository}; start it with gc run`);
  return run;
}

const pagination = paginationOptions.filter(option => option.name !== 'prefix');

export const gcStatus = defineCommand({
  name: 'gc status',
  summary: 'Show the newest garbage collection run of a repository',
  examples: ['cli gc status srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    return newest(await context.client(), repository);
  },
  render: runText,
});

export const gcList = defineCommand({
  name: 'gc list',
  summary: 'List garbage collection runs of a repository, newest first',
  examples: ['cli gc list srv://example-repo'],
  arguments: [repositoryArgument],
  options: pagination,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    return listed(context, input, query => api.listGarbageCollections({ repository, ...query }));
  },
  render: ({ results: runs }, { terminal }) =>
    table(
      ['Run', 'Phase', 'Started', 'Listed', 'Garbage', 'Removed'],
      runs.map(run => [run.id, run.phase, run.started_at, String(run.listed), String(run.candidates), String(run.deleted)]),
      terminal,
    ),
});

export const gcShow = defineCommand({
  name: 'gc show',
  summary: 'Show a garbage collection run, or list the addresses it marked',
  examples: ['cli gc show srv://example-repo', 'cli gc show srv://example-repo --addresses'],
  arguments: [repositoryArgument, runArgument],
  options: [{ name: 'addresses', type: 'bool', default: false, description: 'list the addresses' }],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const run = await namedRun(api, repository, input);
    if (!input.options.addresses) return { run: await api.getGarbageCollection({ repository, run }), addresses: [] };
    const addresses: string[] = [];
    for await (const address of everything(query => api.listGarbage({ repository, run, ...query }))) addresses.push(address);
    return { run: await api.getGarbageCollection({ repository, run }), addresses };
  },
  render: ({ run, addresses }, _, { options }) => (options.addresses ? addresses.join('\n') : runText(run)),
});

export const gcExplain = defineCommand({
  name: 'gc explain',
  summary: 'Show what keeps an object, or which run collected it',
  examples: ['cli gc explain srv://example-repo/main/images/a.png'],
  arguments: [required('URI', 'srv://<repository>/<ref>/<path>, or srv://<repository> with --address')],
  options: [{ name: 'address', type: 'string', description: 'address of the object in the storage namespace' }],
  async run(context, input) {
    const api = await context.client();
    const address = textOf(input.options.address);
    if (address !== undefined) {
      const { repository } = context.uri.repository(argument(input, 0));
      return api.explainGarbage({ repository, address });
    }
    const { repository, ref, path } = context.uri.path(argument(input, 0));
    const { physical_address: found } = await api.statObject({ repository, ref, path });
    return api.explainGarbage({ repository, address: found });
  },
  render: found =>
    labelled([
      ['Address', found.address],
      ['Size', found.exists ? found.size_bytes : 'the object does not exist'],
      ['Last modified', found.last_modified],
      ['Kept by', found.kept_by.length > 0 ? found.kept_by.join('; ') : found.exists ? 'nothing: the next run collects it' : 'nothing'],
      ['Collected by run', found.collected_by],
    ]),
});

export const gcRestore = defineCommand({
  name: 'gc restore',
  summary: 'Restore objects from quarantine',
  examples: ['cli gc restore srv://example-repo'],
  arguments: [repositoryArgument, runArgument],
  options: [{ name: 'prefix', type: 'string', description: 'only addresses that begin with this text' }],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const prefix = filledTextOf(input.options, 'prefix');
    const api = await context.client();
    return api.restoreGarbage({ repository, run: await namedRun(api, repository, input), body: prefix === undefined ? {} : { prefix } });
  },
  render: ({ objects }) => `Restored objects: ${objects}`,
});

export const gcPurge = defineCommand({
  name: 'gc purge',
  summary: 'Remove everything that a deleted or moved repository has left in its storage namespace',
  examples: ['cli gc purge s3://bucket/purged-repo'],
  arguments: [required('storage namespace', 'of a repository that has been deleted, or has moved away')],
  options: [
    { name: 'yes', short: 'y', type: 'bool', default: false, description: 'remove without asking' },
    { name: 'storage-id', type: 'string', description: 'block store of the namespace, where the server has several' },
  ],
  async run(context, input) {
    const namespace = argument(input, 0);
    const storageId = textOf(input.options['storage-id']);
    await context.confirm('Purge', `Are you sure you want to remove everything in ${namespace}?`, input.options.yes);
    return (await context.client()).purgeNamespace({
      body: { storage_namespace: namespace, ...(storageId === undefined ? {} : { storage_id: storageId }) },
    });
  },
  render: ({ objects }) => `Removed objects: ${objects}`,
});
