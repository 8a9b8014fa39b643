import { existsSync } from 'node:fs';
import { UsageError, defineCommand, listOf } from '@srv/lib-commands';
import { scriptOptions } from '../shell/script-options.js';

export const repl = defineCommand({
  name: 'repl',
  summary: 'Start a shell for commands, without the word cli, and JavaScript',
  description: [
    'Addresses are relative to the place: use srv://repo/main, then ls images/, commit -m x.',
    'Everything else is JavaScript with await; _ is the data of the last line.',
    'Without a terminal, lines come from standard input.',
  ].join('\n'),
  examples: [
    'cli repl srv://example-repo/main',
    "cli repl srv://example-repo/main -e 'ls images/'",
    "cli repl srv://example-repo/main -e 'ls -r images/' -e '_.length'",
  ],
  arguments: [{ name: 'uri', description: 'srv://<repository>/<ref>/<path> to begin at, or a file of lines' }],
  options: scriptOptions,
  async run(context, { args: [where], options }) {
    const isFile = where !== undefined && (where === '-' || existsSync(where));
    const { linesScript, readScript, runScript } = await import('../shell/script.js');
    const lines = linesScript(listOf(options.eval));
    if (isFile && lines) throw new UsageError('give a file or --eval, not both');
    const place = isFile || where === undefined ? {} : { place: where };
    if (lines) return runScript(context, { ...lines, args: [], ...place }, options);
    if (isFile) return runScript(context, { text: await readScript(where), file: where, args: [] }, options);
    if (!context.terminal.canAsk)
      return runScript(context, { text: await readScript('-'), file: 'standard input', args: [], ...place }, options);
    const [{ runInteractive }, { Session }] = await Promise.all([import('../shell/interactive.js'), import('../shell/session.js')]);
    const { lineOfWords } = await import('../shell/line.js');
    const session = new Session({ context, output: process.stdout, format: context.format });
    if (where !== undefined) await session.call(lineOfWords(['use', where]));
    return runInteractive({ session, names: context.names(), title: 'cli' });
  },
});
