import { argument, defineCommand, required } from '../define.js';
import { readScript, runScript, scriptOptions } from '../shell/script.js';

export const run = defineCommand({
  name: 'run',
  summary: 'Run a file of lines as the shell understands them',
  description: 'Stops at the first failure and ends with its exit code. Arguments are $1, $2, … in commands and args in JavaScript.',
  examples: ['cli run release.srv v1.2', 'cli run --dry-run --keep-going clean-up.srv', 'echo "repo list" | cli run -'],
  arguments: [
    required('file', 'file to run, or - for standard input'),
    { name: 'arguments', description: 'values of $1, $2, …', variadic: true },
  ],
  options: scriptOptions,
  async run(context, input) {
    const file = argument(input, 0);
    await runScript(context, { text: await readScript(file), file, args: input.args.slice(1) }, input.options);
  },
});
