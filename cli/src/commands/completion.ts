import { UsageError, argument, defineCommand, required } from '@srv/lib-commands';
import { completionScripts } from '../completion-scripts.js';

export const completion = defineCommand({
  name: 'completion',
  summary: 'Generate completion script',
  description: 'Print the script that completes commands, options and URIs in a shell.',
  examples: ['source <(cli completion bash)', 'source <(cli completion zsh)', 'cli completion fish | source'],
  arguments: [required('bash|zsh|fish', 'name of the shell')],
  run(_context, input) {
    const shell = argument(input, 0);
    const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
    if (script === undefined)
      throw new UsageError(
        `invalid argument ${JSON.stringify(shell)} for "cli completion"; choose one of ${Object.keys(completionScripts).join(', ')}`,
      );
    return script;
  },
  render: script => script,
});
