/** What `repo move-storage` waits for, by what a server shows of the move. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { moveStorage } from '../../src/cli/commands/repo-move-storage.js';
import type { CommandContext } from '@srv/lib-commands';

const running = { id: 'm1', phase: 'copying', running: true, copied_objects: 0, copied_bytes: 0, from: place('a'), to: place('b') };
const gone = { ...running, running: false };

function place(folder: string) {
  return { storage_id: '', storage_namespace: `local://${folder}` };
}

/** Follows a move. @param shown what the server shows in turn; the last one remains. */
async function follow(shown: readonly object[], patience: number): Promise<string> {
  let asked = 0;
  const client = {
    startStorageMove: () => Promise.resolve(running),
    getStorageMove: () => Promise.resolve(shown[Math.min(asked++, shown.length - 1)]),
  };
  const context = fakeContext({}, { client: (() => Promise.resolve(client)) as unknown as CommandContext['client'] });
  const commands = [moveStorage({ interval: 1, patience })];
  const { text } = await runCommand(commands as never, context, 'repo move-storage', ['srv://zoo'], { 'storage-namespace': 'local://b' });
  return text;
}

describe('repo move-storage', () => {
  it('waits for the server that continues a move whose server is gone', async () => {
    assert.match(await follow([running, gone, gone, running, gone, { ...gone, phase: 'done' }], 600_000), /^Phase:\s+done$/m);
  });

  it('fails when no server does in time', async () => {
    await assert.rejects(follow([running, gone], 5), /has stopped \(copying\): its server is gone; run the command again/);
  });

  it('fails at once when the move did', async () => {
    const failed = { ...gone, error: 'the store is down' };
    await assert.rejects(follow([running, failed, running], 600_000), /has stopped \(copying\): the store is down; run the command again/);
  });
});
