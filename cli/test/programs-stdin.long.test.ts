/** `cli run`, given a file or standard input: the same program, however its statements are divided into lines. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import fc from 'fast-check';
import { run } from './programs.js';
import { randomProgram, textOf } from './random-programs.js';
import type { Ended } from './programs.js';

const plugin = `
import { defineCommand } from '@srv/lib-commands';
const command = defineCommand({
  name: 'note',
  summary: 'Print the words',
  arguments: [{ name: 'word', description: 'any', variadic: true }],
  run: (_context, { args }) => args.join('|'),
  render: text => String(text),
});
export default {
  name: 'note',
  apply: ({ hooks }) => hooks.commands.tap('note', commands => commands.add(command, 'note')),
};`;

const home = scratchFolder();
const folder = join(home, 'note');
mkdirSync(folder);
writeFileSync(join(folder, 'plugin.js'), plugin);
const srv = { api: 1, name: 'note', cli: './plugin.js' };
writeFileSync(
  join(folder, 'package.json'),
  JSON.stringify({ name: 'note', version: '1.0.0', type: 'module', keywords: ['srv-plugin'], srv }),
);
after(() => rmSync(home, { recursive: true, force: true }));

test('a program gives the same result as a file and through standard input', async () => {
  const file = join(home, 'program.srv');
  const ended = (name: string, input = ''): Promise<Ended> =>
    run('cli', ['run', name], home, { env: { SRV_PLUGINS_PATHS: folder }, input });
  await fc.assert(
    fc.asyncProperty(randomProgram, async pieces => {
      writeFileSync(file, textOf(pieces, ''));
      const expected = await ended(file);
      assert.deepEqual([expected.code, expected.stderr], [0, ''], textOf(pieces, ''));
      const divided = textOf(pieces, '~^§');
      writeFileSync(file, divided);
      assert.deepEqual(await ended(file), expected, divided);
      assert.deepEqual(await ended('-', divided), expected, divided);
    }),
    { numRuns: 8 },
  );
});
