import { UsageError, defineCommand, listOf } from '@srv/lib-commands';
import { scriptOptions } from '../shell/script-options.js';

export const run = defineCommand({
  name: 'run',
  summary: 'Run a file of shell lines',
  description: [
    'Stops at the first failure and ends with its exit code. Arguments are $1, $2, … in commands and args in JavaScript.',
    'With --eval the lines are those, and every argument is one of them.',
  ].join('\n'),
  examples: [
    'cli run release.srv v1.2',
    'cli run --dry-run --keep-going clean-up.srv',
    'echo "repo list" | cli run -',
    "cli run -e 'use srv://example-repo/$1' -e 'ls images/' main",
  ],
  arguments: [
    { name: 'file', description: 'file to run, or - for standard input', completes: 'path' },
    { name: 'arguments', description: 'values of $1, $2, …', variadic: true },
  ],
  options: scriptOptions,
  async run(context, { args, options }) {
    const { linesScript, readScript, runScript } = await import('../shell/script.js');
    const lines = linesScript(listOf(options.eval));
    if (lines) return runScript(context, { ...lines, args }, options);
    const [file, ...rest] = args;
    if (file === undefined) throw new UsageError('nothing to run: give a file, - for standard input, or lines with --eval');
    return runScript(context, { text: await readScript(file), file, args: rest }, options);
  },
});
