import { argument, defineCommand, required } from '@srv/lib-commands';
import { readActionFile } from './read-file.js';
import type { Command } from '@srv/lib-commands';
import type { HookTypes } from '../files/action-file.js';

interface ValidatedFile {
  readonly file: string;
  readonly action: string;
}

/** @param hookTypes those of the plugins that this program has. */
export function validateFiles(hookTypes: HookTypes): Command<ValidatedFile> {
  return defineCommand({
    name: 'actions validate',
    summary: 'Validate action file',
    description: 'Check an action file without a server. At most ten problems are shown, each with its line and how to fix it.',
    examples: ['cli actions validate check.yaml', 'cli actions validate - < check.yaml'],
    arguments: [required('file', 'action file, or "-" for standard input')],
    async run(context, input): Promise<ValidatedFile> {
      const file = argument(input, 0);
      // Reads YAML, which other commands need not load.
      const { parseActionFile } = await import('../files/parse.js');
      const { name, problems } = parseActionFile(await readActionFile(file, context.input), hookTypes);
      if (problems.length > 0)
        throw new Error(problems.map(({ message, line, remedy }) => `${file}:${line}: ${message}\n  ${remedy}`).join('\n'));
      return { file, action: name };
    },
    render: ({ file }) => `File validated successfully: '${file}'`,
  });
}
