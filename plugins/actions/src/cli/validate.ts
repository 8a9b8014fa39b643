import { defineCommand } from '@srv/lib-commands';
import type { Command } from '@srv/kernel';
import type { HookTypes } from '../files/action-file.js';
import { readActionFile } from './read-file.js';

export interface ValidatedFile {
  readonly file: string;
  readonly action: string;
}

/** @param hookTypes those of the plugins that this program has. */
export function validateFiles(hookTypes: HookTypes): Command<readonly ValidatedFile[]> {
  return defineCommand({
    name: 'actions validate',
    summary: 'Validate action file',
    description: 'Check action files without a server. Every problem is shown with its line and what to do.',
    examples: ['cli actions validate path/to/my/file', 'cli actions validate _srv_actions/*.yaml'],
    arguments: [{ name: 'file', description: 'action file, or "-" for standard input', required: true, variadic: true }],
    async run(_context, { args }): Promise<readonly ValidatedFile[]> {
      // Reads YAML, which other commands need not load.
      const { parseActionFile } = await import('../files/parse.js');
      const { withoutNamesakes } = await import('../files/selection.js');
      const read = await Promise.all(
        args.map(async path => {
          const text = await readActionFile(path);
          return { path, text, parsed: parseActionFile(text, hookTypes) };
        }),
      );
      const files = withoutNamesakes(read);
      const problems = files.flatMap(({ path, parsed }) =>
        parsed.problems.map(({ message, line, remedy }) => `${path}:${line}: ${message}\n  ${remedy}`),
      );
      if (problems.length > 0) throw new Error(problems.join('\n'));
      return read.map(({ path, parsed }) => ({ file: path, action: parsed.name }));
    },
    render: files => files.map(({ file }) => `File validated successfully: '${file}'`).join('\n'),
  });
}
