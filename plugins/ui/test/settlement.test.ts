/** Conflicts that are settled path by path, in front of a real server: branches that move meanwhile, and failures on the way. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { startSrv } from '@srv/test-servers';
import { ConflictsChanged, findConflicts } from '../src/model/settlement.js';
import type { Client } from '@srv/lib-api/client';
import type { RunningSrv } from '@srv/test-servers';
import type { CallApi, Side } from '../src/model/settlement.js';

/** An operation that fails once: before the server has it, or after, when only the answer is lost. */
interface Fault {
  readonly operationId: string;
  readonly when: 'before' | 'after';
  /** Calls of the operation that succeed first. */
  readonly skip?: number;
}

const signal = new AbortController().signal;

describe('a settlement of conflicts', () => {
  let srv: RunningSrv;
  let client: Client;
  before(async () => {
    srv = await startSrv();
    client = createClient({ endpointUrl: srv.url, ...srv.key });
  });
  after(async () => {
    client?.close();
    await srv?.stop();
  });

  const put = (repository: string, branch: string, path: string, body: string) =>
    client.uploadObject({ repository, branch, path, body: Buffer.from(body) });
  const commit = (repository: string, branch: string) => client.commit({ repository, branch, body: { message: `change ${branch}` } });
  const read = async (repository: string, ref: string, path: string): Promise<string> => {
    const answer = await client.getObject({ repository, ref, path }).catch(() => undefined);
    return answer ? text(answer.body) : 'absent';
  };
  const all = async (repository: string, ref: string) =>
    Object.fromEntries(await Promise.all(['a', 'b', 'c'].map(async path => [path, await read(repository, ref, path)] as const)));

  /** A repository whose branches have both changed `a` and `b`; main has removed `b`, and `c` is the same on both. */
  async function conflicting(repository: string): Promise<void> {
    await client.createRepository({ body: { name: repository, storage_namespace: `local://${repository}` } });
    for (const path of ['a', 'b', 'c']) await put(repository, 'main', path, 'base');
    await commit(repository, 'main');
    await client.createBranch({ repository, body: { name: 'dev', source: 'main' } });
    for (const path of ['a', 'b']) await put(repository, 'dev', path, 'dev');
    await commit(repository, 'dev');
    await put(repository, 'main', 'a', 'main');
    await client.deleteObject({ repository, branch: 'main', path: 'b' });
    await commit(repository, 'main');
  }

  /** What the dialog has: its conflicts, and the names of its changes. */
  async function open(repository: string, ...faults: readonly Fault[]) {
    const changes: string[] = [];
    const left = faults.map(fault => ({ ...fault, skip: fault.skip ?? 0, done: false }));
    const call: CallApi = async (operationId, input) => {
      const fault = left.find(each => each.operationId === operationId && !each.done);
      const fails = fault !== undefined && fault.skip-- === 0;
      if (fails) fault.done = true;
      if (!/^(?:get|diff|find)/.test(operationId)) changes.push(fails ? `${operationId} fails` : operationId);
      if (fails && fault.when === 'before') throw new Error('connection lost');
      const { data } = await client.call(operationId, input);
      if (fails) throw new Error('answer lost');
      return data;
    };
    return { changes, ...(await findConflicts(call, { repository, source: 'dev', destination: 'main' }, 10, signal)) };
  }

  const choices = (a: Side, b: Side): ReadonlyMap<string, Side> =>
    new Map([
      ['a', a],
      ['b', b],
    ]);

  it('merges, takes what was chosen, commits and merges', async () => {
    await conflicting('plain');
    const { paths, base, settlement, changes } = await open('plain');
    assert.deepEqual(paths, ['a', 'b']);
    assert.ok(base);
    await settlement.apply(choices('source', 'destination'));
    const reference = await settlement.merge({ message: 'settled', squash_merge: true, metadata: { ticket: '7' } });
    const made = await client.getCommit({ repository: 'plain', commitId: reference });
    assert.deepEqual([made.message, made.metadata?.['ticket'], made.parents.length], ['settled', '7', 1]);
    assert.deepEqual(await all('plain', 'main'), { a: 'dev', b: 'absent', c: 'base' });
    assert.deepEqual(changes, ['mergeIntoBranch', 'copyObject', 'deleteObject', 'commit', 'mergeIntoBranch']);
  });

  it('a conflict that arises after the others were listed is reported, not decided', async () => {
    await conflicting('moving');
    await put('moving', 'dev', 'c', 'dev');
    await commit('moving', 'dev');
    const { settlement, changes } = await open('moving');
    await put('moving', 'main', 'c', 'main later');
    await commit('moving', 'main');
    await settlement.apply(choices('source', 'destination'));
    await assert.rejects(settlement.merge({ message: 'settled' }), (error: unknown) => {
      assert.ok(error instanceof ConflictsChanged);
      assert.match(error.message, /^“main” has changed since/);
      return true;
    });
    assert.equal(await read('moving', 'main', 'c'), 'main later');
    assert.deepEqual(changes, ['mergeIntoBranch', 'copyObject', 'deleteObject', 'commit', 'mergeIntoBranch']);
    const next = await open('moving');
    assert.deepEqual(next.paths, ['c']);
    await next.settlement.apply(new Map([['c', 'source']]));
    await next.settlement.merge({ message: 'settled' });
    assert.deepEqual(await all('moving', 'main'), { a: 'dev', b: 'absent', c: 'dev' });
  });

  it('changes nothing when the source has moved since', async () => {
    await conflicting('other');
    await put('other', 'main', 'c', 'main');
    await commit('other', 'main');
    const { settlement, changes } = await open('other');
    await put('other', 'dev', 'c', 'dev later');
    await commit('other', 'dev');
    await assert.rejects(settlement.apply(choices('source', 'source')), { name: 'ConflictsChanged', message: /^“dev” has changed since/ });
    assert.deepEqual(changes, []);
    assert.deepEqual((await open('other')).paths, ['a', 'b', 'c']);
  });

  it('leaves the source as it is when there are no conflicts any more', async () => {
    await conflicting('gone');
    await client.mergeIntoBranch({ repository: 'gone', sourceRef: 'main', destinationBranch: 'dev', body: { strategy: 'dest-wins' } });
    const { paths, settlement, changes } = await open('gone');
    assert.deepEqual(paths, []);
    await settlement.apply(new Map());
    await settlement.merge({ message: 'merged' });
    assert.deepEqual(changes, ['mergeIntoBranch']);
  });

  const faults: readonly Fault[] = [
    { operationId: 'mergeIntoBranch', when: 'before' },
    { operationId: 'mergeIntoBranch', when: 'after' },
    { operationId: 'copyObject', when: 'before' },
    { operationId: 'copyObject', when: 'after' },
    { operationId: 'deleteObject', when: 'before' },
    { operationId: 'deleteObject', when: 'after' },
    { operationId: 'diffBranch', when: 'before' },
    { operationId: 'commit', when: 'before' },
    { operationId: 'commit', when: 'after' },
    { operationId: 'mergeIntoBranch', when: 'before', skip: 1 },
  ];
  for (const [i, fault] of faults.entries()) {
    const at = `${fault.when} ${fault.operationId}${fault.skip ? ' at the end' : ''}`;
    const attempt = async (repository: string, again: ReadonlyMap<string, Side>) => {
      await conflicting(repository);
      const { settlement } = await open(repository, fault);
      const run = async (chosen: ReadonlyMap<string, Side>): Promise<void> => {
        await settlement.apply(chosen);
        await settlement.merge({ message: 'settled' });
      };
      await assert.rejects(run(choices('destination', 'destination')), /lost$/);
      await run(again);
      return all(repository, 'main');
    };

    it(`continues after a failure ${at}`, async () => {
      const found = await attempt(`again-${i}`, choices('destination', 'destination'));
      assert.deepEqual(found, { a: 'main', b: 'absent', c: 'base' });
    });

    it(`follows choices that change after a failure ${at}`, async () => {
      assert.deepEqual(await attempt(`changed-${i}`, choices('source', 'source')), { a: 'dev', b: 'dev', c: 'base' });
    });
  }
});
