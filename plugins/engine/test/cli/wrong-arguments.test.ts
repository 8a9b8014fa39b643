/** Wrong arguments end with exit code 2 and the value, before any request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '@srv/kernel';
import { exitCodeOf, exitCodes } from '@srv/lib-commands';
import { fakeContext } from '@srv/lib-commands/testing';
import { catSst } from '../../src/cli/cat-sst.js';
import { engineCommands } from '../../src/cli/commands/index.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';

const main = 'srv://repo/main';
const path = `${main}/a`;

type Vector = readonly [command: string, args: readonly string[], options: CommandInput['options'], message: string];

/** Without the option, the command would do more. */
const refusedEmpty = (command: string, uri: string, name: string): Vector => [
  command,
  [uri],
  { [name]: '', yes: true },
  `--${name}: an empty value is not allowed; give one, or leave the option out`,
];

const vectors: readonly Vector[] = [
  ['commit', [main], { message: 'x', meta: ['a'] }, '--meta: "a" is not a pair such as key=value'],
  ['commit', [main], { message: ' ' }, 'commit with no message without specifying the "--allow-empty-message" flag'],
  ['merge', [main, 'srv://repo/b'], { message: 'x', meta: ['a'] }, '--meta: "a" is not a pair such as key=value'],
  ['fs stage', [path], { location: 's3://b/a', size: 1, checksum: 'x', meta: ['a'] }, '--meta: "a" is not a pair such as key=value'],
  ['fs update-metadata', [path], { metadata: ['a'] }, '--metadata: "a" is not a pair such as key=value'],
  ['log', [main], { since: 'yesterday' }, '--since: "yesterday" is not an RFC 3339 time such as 2030-01-31T12:00:00Z'],
  ['log', [main], { objects: ['a', ''] }, '--objects: an empty value is not allowed'],
  ['diff', [main, 'srv://other/main'], {}, 'both references must belong to the same repository'],
  ['branch reset', [main], { hard: 'x', prefix: 'a' }, '--hard moves the whole branch: leave out --object and --prefix'],
  ...['hard', 'object', 'prefix'].map(name => refusedEmpty('branch reset', main, name)),
  refusedEmpty('repo move-storage', 'srv://repo', 'storage-namespace'),
  ['branch revert', [main, 'srv://repo/x'], { 'parent-number': 0 }, '--parent-number: 0 is not a number from 1 on'],
  ['cherry-pick', ['srv://repo/x', main], { 'parent-number': -1 }, '--parent-number: -1 is not a number from 1 on'],
  ['cat-sst', [], {}, 'required: the name of a table file, or --file - for standard input'],
];

async function run(name: string, context: CommandContext, input: CommandInput): Promise<void> {
  const command = [...engineCommands, catSst].find(known => known.name === name);
  const data: unknown = await command?.run(context, input);
  // Lists fail where they are read.
  for await (const _ of data as AsyncIterable<unknown>);
}

test('wrong arguments are named, and are not failures of another kind', async () => {
  for (const [command, args, options, message] of vectors) {
    const fake = fakeContext({});
    await assert.rejects(run(command, fake.context, { args, options }), (error: unknown) => {
      assert.deepEqual([messageOf(error), exitCodeOf(error)], [message, exitCodes.usage], command);
      return true;
    });
    assert.deepEqual(fake.calls, [], command);
  }
});
