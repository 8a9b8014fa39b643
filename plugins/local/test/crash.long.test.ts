/** Commands of `local` stopped dead at every point: before and after each request, and before each change of a file. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { checkout } from '../src/cli/sync/checkout.js';
import { clone } from '../src/cli/sync/clone.js';
import { commit } from '../src/cli/sync/commit.js';
import { readIndex } from '../src/cli/sync/index-file.js';
import { pull } from '../src/cli/sync/pull.js';
import { status } from '../src/cli/sync/status.js';
import { Breaker, ModelServer, contents, edit, input, localContext, onDisk } from './model-server.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Step } from '../src/cli/sync/step.js';

/** Of commands that were stopped, as by the end of their process. */
const breakers: Breaker[] = [];
after(() => {
  for (const breaker of breakers) breaker.abandon();
});

type Command = (context: CommandContext, input: CommandInput, step?: Step) => Promise<unknown>;

interface World {
  readonly server: ModelServer;
  readonly folder: string;
}

const start = { 'p/a': 'one', 'p/b/c': 'two', 'p/gone': 'three', 'p/swap': 'four', 'p/both': 'five', outside: 'six' };
const uri = 'srv://lakes/main/p/';
const sameSize = (text: string): string => text.toUpperCase();

async function cloned(): Promise<World> {
  const world = { server: new ModelServer(start), folder: join(scratchFolder(), 'd') };
  const { context } = await localContext(world.server);
  await clone(context, input([uri, world.folder]));
  return world;
}

/** Runs the command with a stop at every point in turn. @param check looks at what is left, and ends with the command's success. */
async function atEveryPoint(
  setUp: () => Promise<World>,
  command: Command,
  given: (world: World) => CommandInput,
  check: (world: World, where: string) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const world = await setUp();
    const breaker = new Breaker(at);
    breakers.push(breaker);
    const { context } = await localContext(world.server, { breaker });
    const end = await Promise.race([command(context, given(world), breaker.point).then(() => undefined), breaker.stopped]);
    await check(world, end ?? 'the end');
    if (end === undefined) {
      assert.equal(breaker.passed.length, at - 1);
      return at - 1;
    }
  }
}

const allAt = (server: ModelServer, ref: string): Record<string, string> => contents(server.tree(ref), 'p/');

/** What `status` must say, from contents alone. */
async function assertStatusTrue({ server, folder }: World, where: string): Promise<void> {
  const found = await readIndex(folder);
  assert.ok(found, where);
  const { head, active, src } = found.index;
  const base = active?.name === 'clone' ? {} : allAt(server, head);
  const target =
    active?.name === 'clone' ? allAt(server, head) : allAt(server, active?.head ?? server.branches.get(src.ref)?.head ?? src.ref);
  const disk = onDisk(folder);
  const expected = [...new Set([...Object.keys(base), ...Object.keys(target), ...Object.keys(disk)])]
    .filter(path => disk[path] !== target[path])
    .map(path => {
      const [local, remote] = [disk[path] !== base[path], target[path] !== base[path]];
      const kind = (now?: string): string => (base[path] === undefined ? 'added' : now === undefined ? 'removed' : 'modified');
      if (local && remote) return `${path} local conflict`;
      return local ? `${path} local ${kind(disk[path])}` : `${path} remote ${kind(target[path])}`;
    });
  const { context } = await localContext(server);
  const { items, interrupted } = await status(context, input([folder]));
  assert.deepEqual(items.map(({ path, source, change }) => `${path} ${source} ${change}`).sort(), expected.sort(), where);
  assert.equal(interrupted?.split(' ')[1], active?.name, where);
}

async function assertInStep({ server, folder }: World, ref: string, where: string): Promise<void> {
  assert.deepEqual(onDisk(folder), allAt(server, ref), where);
  const found = await readIndex(folder);
  assert.deepEqual([found?.index.head, found?.index.active], [ref, undefined], where);
  await assertStatusTrue({ server, folder }, where);
}

const again = async (command: Command, { server }: World, given: CommandInput): Promise<void> => {
  const { context } = await localContext(server);
  await command(context, given);
};

test('clone', async t => {
  const given = ({ folder }: World) => input([uri, folder]);
  const points = await atEveryPoint(
    async () => ({ server: new ModelServer(start), folder: join(scratchFolder(), 'd') }),
    clone,
    given,
    async (world, where) => {
      if (existsSync(join(world.folder, '.srv_ref.yaml'))) await assertStatusTrue(world, where);
      else assert.deepEqual(existsSync(world.folder) ? onDisk(world.folder) : {}, {}, where);
      if (where === 'the end') return assertInStep(world, 'c1', where);
      const begun = (await readIndex(world.folder).catch(() => undefined))?.index.active;
      // What appears meanwhile is kept, and the clone is of the commit it began with.
      const own = begun ? { 'own/file': 'mine' } : undefined;
      edit(world.folder, own ?? {});
      world.server.change({ 'p/a': 'later' });
      if ((await readIndex(world.folder)) && !begun) return assertStatusTrue(world, where);
      await again(clone, world, given(world));
      assert.deepEqual(onDisk(world.folder), { ...allAt(world.server, begun ? 'c1' : 'c2'), ...own }, where);
      await assertStatusTrue(world, where);
    },
  );
  t.diagnostic(`${points} points`);
  assert.ok(points > 20);
});

test('pull', async t => {
  const given = ({ folder }: World) => input([folder]);
  const setUp = async (): Promise<World> => {
    const world = await cloned();
    world.server.change({ 'p/a': sameSize('one'), 'p/gone': undefined, 'p/swap': undefined, 'p/swap/x': 'file', 'p/new/y': 'new' });
    return world;
  };
  const points = await atEveryPoint(setUp, pull, given, async (world, where) => {
    await assertStatusTrue(world, where);
    if (where !== 'the end') await again(pull, world, given(world));
    await assertInStep(world, 'c2', where);
  });
  t.diagnostic(`${points} points`);
  assert.ok(points > 20);
});

test('an interrupted pull is undone by checkout, and keeps what was changed since', async () => {
  const setUp = async (): Promise<World> => {
    const world = await cloned();
    world.server.change({ 'p/a': 'two changes', 'p/b/c': undefined, 'p/new': 'new' });
    return world;
  };
  await atEveryPoint(
    setUp,
    pull,
    ({ folder }) => input([folder]),
    async (world, where) => {
      if (where === 'the end') return;
      edit(world.folder, { mine: 'added since' });
      await assertStatusTrue(world, where);
      const { active } = (await readIndex(world.folder))?.index ?? {};
      if (active) {
        await again(pull, world, input([world.folder]));
        assert.deepEqual(onDisk(world.folder), { ...allAt(world.server, 'c2'), mine: 'added since' }, where);
      } else await assert.rejects(again(pull, world, input([world.folder])), { message: /^there is 1 uncommitted change\. / });
      await again(checkout, world, input([world.folder]));
      await assertInStep(world, active ? 'c2' : 'c1', where);
    },
  );
  await atEveryPoint(
    setUp,
    pull,
    ({ folder }) => input([folder]),
    async (world, where) => {
      if (where === 'the end') return;
      await again(checkout, world, input([world.folder]));
      await assertInStep(world, (await readIndex(world.folder))?.index.head ?? '', where);
      await again(pull, world, input([world.folder]));
      await assertInStep(world, 'c2', where);
    },
  );
});

test('pull --force', async () => {
  const given = ({ folder }: World) => input([folder], { force: true });
  const setUp = async (): Promise<World> => {
    const world = await cloned();
    edit(world.folder, { a: sameSize('one'), gone: undefined, 'mine/x': 'x', swap: undefined, 'swap/in': 'in' });
    world.server.change({ 'p/both': 'theirs', 'p/b/c': undefined });
    return world;
  };
  await atEveryPoint(setUp, pull, given, async (world, where) => {
    await assertStatusTrue(world, where);
    if (where !== 'the end') await again(pull, world, given(world));
    await assertInStep(world, 'c2', where);
  });
});

test('commit', async t => {
  const given = ({ folder }: World) => input([folder]);
  const mine = { a: sameSize('one'), gone: undefined, 'mine/x': 'x', swap: undefined, 'swap/in': 'in' };
  const result = { a: 'ONE', 'b/c': 'their change', both: 'five', 'mine/x': 'x', 'swap/in': 'in', 'staged/z': 'by others' };
  const setUp = async (): Promise<World> => {
    const world = await cloned();
    edit(world.folder, mine);
    world.server.change({ 'p/b/c': 'their change' });
    world.server.stage({ 'p/staged/z': 'by others' });
    return world;
  };
  const commits = new Set<number>();
  const points = await atEveryPoint(setUp, commit, given, async (world, where) => {
    await assertStatusTrue(world, where);
    for (const [path, content] of Object.entries(mine))
      assert.equal(onDisk(world.folder)[path], content, `${where}: ${path} is as it was left`);
    assert.deepEqual(contents(world.server.tree('c1')), start, 'commits do not change');
    if (where !== 'the end') await again(commit, world, given(world));
    assert.deepEqual(world.server.committed('main', 'p/'), result, where);
    await assertInStep(world, world.server.head(), where);
    assert.deepEqual(world.server.uncommitted('main'), [], where);
    commits.add(world.server.commits.size);
  });
  assert.deepEqual([...commits], [4], 'exactly one commit is made');
  t.diagnostic(`${points} points`);
  assert.ok(points > 30);
});

test('others refuse while a commit is interrupted; what was uploaded waits on the branch', async () => {
  const world = await cloned();
  edit(world.folder, { a: 'mine' });
  const breaker = new Breaker(Number.POSITIVE_INFINITY);
  const step: Step = what => (what === 'commit' ? breaker.point('stop').then(() => Promise.reject(new Error('stop'))) : undefined);
  const { context, told } = await localContext(world.server);
  await assert.rejects(commit(context, input([world.folder]), step), { message: 'stop' });
  assert.match(told.join('\n'), /^Latest commit operation was interrupted, local data may be incomplete\.\nRun "cli local commit" again/m);
  await assert.rejects(again(pull, world, input([world.folder])), { message: /^Latest commit operation was interrupted, / });
  assert.deepEqual(world.server.uncommitted('main'), ['p/a']);
  const refusing = await localContext(world.server, { changes: { confirm: async () => assert.fail('asked') } });
  await assert.rejects(commit(refusing.context, input([world.folder], { yes: false })), { message: 'asked' });
  await again(pull, world, input([world.folder], { force: true }));
  assert.equal(onDisk(world.folder).a, 'one');
});

test('checkout of another commit', async t => {
  const given = ({ folder }: World) => input([folder], { ref: 'srv://lakes/c1' });
  const setUp = async (): Promise<World> => {
    const world = await cloned();
    world.server.change({ 'p/a': sameSize('one'), 'p/gone': undefined, 'p/swap': undefined, 'p/swap/x': 'file', 'p/new/y': 'new' });
    await again(pull, world, input([world.folder]));
    edit(world.folder, { both: 'lost by consent', 'other/thing': 'lost, too' });
    return world;
  };
  const points = await atEveryPoint(setUp, checkout, given, async (world, where) => {
    await assertStatusTrue(world, where);
    const marked = (await readIndex(world.folder))?.index.active;
    // Once it has begun, the command needs no destination again.
    if (where !== 'the end') await again(checkout, world, marked ? input([world.folder]) : given(world));
    const { index } = (await readIndex(world.folder)) ?? {};
    assert.deepEqual([index?.head, index?.src.ref, index?.active], ['c1', 'c1', undefined], where);
    assert.deepEqual(onDisk(world.folder), allAt(world.server, 'c1'), where);
  });
  t.diagnostic(`${points} points`);
  assert.ok(points > 20);
});
