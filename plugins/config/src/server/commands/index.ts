/** The commands `srv config`. What a command does is loaded when it runs: every start of the server loads this file. */
import type { ServerCommand } from '@srv/lib-commands';

const about = 'The configuration';

const show: ServerCommand = {
  name: 'config show',
  about,
  summary: 'Print the effective configuration, secrets masked',
  options: [{ name: 'sources', type: 'bool', description: 'show where each value comes from' }],
  async run(context, { options }) {
    const kernel = await context.kernel({ prepare: false, inTrouble: true, quiet: false });
    context.print((await import('./show.js')).shownConfig(kernel, options['sources'] === true));
    return 0;
  },
};

const reference: ServerCommand = {
  name: 'config reference',
  about,
  summary: 'Print every key with type, default and meaning',
  options: [{ name: 'output', short: 'o', type: 'string', choices: ['json', 'table'], default: 'table', description: 'output format' }],
  async run(context, { options }) {
    const { configReference } = await import('./reference.js');
    context.print(configReference(await context.everyPlugin(), options['output'] === 'json' ? 'json' : 'table'));
    return 0;
  },
};

export const configCommands: readonly ServerCommand[] = [show, reference];
