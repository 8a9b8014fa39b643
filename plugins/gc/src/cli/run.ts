import { UsageError, argument, defineCommand, filledTextOf, numberOf, repositoryArgument } from '@srv/lib-commands';
import { follow, runText } from './run-text.js';
import type {} from '../operations/index.js';

export const gcRun = defineCommand({
  name: 'gc run',
  summary: 'Collect the garbage of a repository',
  description: `Find the objects that nothing can read any longer, and remove them. Objects younger than a day stay. An interrupt
cancels the run; what a killed server was doing another one finishes.`,
  examples: ['cli gc run srv://example-repo --dry-run', 'cli gc run srv://example-repo --quarantine 7'],
  arguments: [repositoryArgument],
  options: [
    { name: 'dry-run', type: 'bool', default: false, description: 'only count the garbage; remove and write nothing' },
    { name: 'mark-only', type: 'bool', default: false, description: 'write the list of garbage to the storage namespace; remove nothing' },
    { name: 'sweep', type: 'string', description: 'remove what the run with this ID marked, after checking each object again' },
    { name: 'quarantine', type: 'int', description: 'days that removed objects can be restored' },
    { name: 'force', type: 'bool', default: false, description: 'continue even if nearly everything is garbage' },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const { 'dry-run': dry, 'mark-only': mark, force } = input.options;
    const source = filledTextOf(input.options, 'sweep');
    if ([dry, mark, source !== undefined].filter(Boolean).length > 1)
      throw new UsageError('--dry-run, --mark-only and --sweep cannot be combined');
    const days = numberOf(input.options.quarantine);
    const quarantine = days === undefined ? {} : { quarantine_days: days };
    const api = await context.client();
    const { id } =
      source === undefined
        ? await api.startGarbageCollection({
            repository,
            body: { mode: dry ? 'dry_run' : mark ? 'mark' : 'run', force: force === true, ...quarantine },
          })
        : await api.sweepGarbage({ repository, run: source, body: quarantine });
    return follow(context, api, repository, id);
  },
  render: runText,
});
