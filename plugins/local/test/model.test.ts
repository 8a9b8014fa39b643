/** Commands of `local` on random trees with random changes on both sides and random crashes, compared with a model. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCount, scratchFolder } from '@srv/kernel/testing';
import fc from 'fast-check';
import { checkout } from '../src/cli/sync/checkout.js';
import { clone } from '../src/cli/sync/clone.js';
import { commit } from '../src/cli/sync/commit.js';
import { readIndex } from '../src/cli/sync/index-file.js';
import { pull } from '../src/cli/sync/pull.js';
import { status } from '../src/cli/sync/status.js';
import { Breaker, ModelServer, byBytes, contents, edit, input, localContext, onDisk } from './model-server.js';

type Files = Readonly<Record<string, string>>;
type Edits = Readonly<Record<string, string | undefined>>;

/** Few paths and contents, so that sides meet; of one size, within one second, so that only contents distinguish them. */
const path = fc.constantFrom('a', 'a-', 'a/b', 'a/b/c', 'a0', 'd/e', 'd/f', 'é/\u{1f600}', '.x');
const content = fc.constantFrom('1', '2', '3');
const files = fc.dictionary(path, content, { maxKeys: 6 }).map(withoutNested);
const edits = fc.dictionary(path, fc.option(content, { nil: undefined }), { maxKeys: 4 });

type Action =
  | { readonly kind: 'local' | 'remote' | 'stage'; readonly edits: Edits }
  | { readonly kind: 'pull' | 'force' | 'commit' | 'checkout'; readonly crashAt: number | undefined };

/** Point at which the command is stopped dead before it is run again. */
const crashAt = fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('local' as const), edits }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remote' as const), edits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stage' as const), edits }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('pull' as const, 'commit' as const), crashAt }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('force' as const, 'checkout' as const), crashAt }) },
);

/** Drops what lies below another file. */
function withoutNested(all: Files): Files {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !Object.keys(all).some(other => name.startsWith(`${other}/`))));
}

const isNested = (all: Files): boolean => Object.keys(withoutNested(all)).length < Object.keys(all).length;

/** Both sides' changes since `base`; conflicts where both changed a path differently. */
function merge(base: Files, target: Files, here: Files): { readonly merged: Files; readonly conflicts: readonly string[] } {
  const merged: Record<string, string> = {};
  const conflicts: string[] = [];
  for (const name of new Set([...Object.keys(base), ...Object.keys(target), ...Object.keys(here)])) {
    const [was, there, now] = [base[name], target[name], here[name]];
    if (was !== there && was !== now && there !== now) conflicts.push(name);
    const result = was === now ? there : now;
    if (result !== undefined) merged[name] = result;
  }
  return { merged, conflicts };
}

const sorted = (all: Files): readonly (readonly [string, string])[] => Object.entries(all).sort(([a], [b]) => byBytes(a, b));

class Pair {
  readonly server: ModelServer;
  readonly folder = join(scratchFolder(), 'd');

  constructor(start: Files) {
    this.server = new ModelServer({ ...prefixed(start), other: 'o' });
  }

  at(ref: string): Files {
    return contents(this.server.tree(ref), 'p/');
  }

  async base(): Promise<Files> {
    const found = await readIndex(this.folder);
    assert.ok(found && !found.index.active, 'in step');
    return this.at(found.index.head);
  }

  /** @returns whether the command did its work; a refusal must have changed nothing. */
  async attempt(command: typeof pull | typeof commit, crash: number | undefined, options: Record<string, boolean> = {}): Promise<boolean> {
    const before = JSON.stringify(this.#everything());
    if (crash !== undefined) await this.#crash(command, crash, options);
    const { context } = await localContext(this.server);
    const failure = await command(context, input([this.folder], options)).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (failure === undefined) return true;
    assert.match(failure, /uncommitted change|Conflict found|lies below another object/);
    assert.equal(JSON.stringify(this.#everything()), before, failure);
    return false;
  }

  async #crash(command: typeof pull | typeof commit, at: number, options: Record<string, boolean>): Promise<void> {
    const breaker = new Breaker(at);
    breakers.push(breaker);
    const { context } = await localContext(this.server, { breaker });
    const run = command(context, input([this.folder], options), breaker.point).then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([run, breaker.stopped]);
  }

  #everything() {
    return [sorted(onDisk(this.folder)), sorted(this.at('main')), this.server.commits.size];
  }
}

/** Of commands that were stopped, as by the end of their process. */
const breakers: Breaker[] = [];
after(() => {
  for (const breaker of breakers) breaker.abandon();
});

function prefixed<T>(all: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`p/${name}`, value]));
}

async function perform(pair: Pair, action: Action): Promise<void> {
  const { server, folder } = pair;
  const [base, here, head] = [await pair.base(), onDisk(folder), server.head()];
  switch (action.kind) {
    case 'local':
      edit(folder, action.edits);
      return;
    case 'stage':
      server.stage(prefixed(action.edits));
      return;
    case 'remote':
      server.change(prefixed(action.edits));
      return;
    case 'pull': {
      const clean = merge(base, pair.at(head), here);
      const changed = Object.keys({ ...base, ...here }).some(name => base[name] !== here[name] && here[name] !== pair.at(head)[name]);
      const expected = !changed && !isNested(clean.merged);
      assert.equal(await pair.attempt(pull, action.crashAt), expected, 'pull');
      if (expected) assert.deepEqual(onDisk(folder), pair.at(head));
      return;
    }
    case 'force':
      assert.equal(await pair.attempt(pull, action.crashAt, { force: true }), !isNested(pair.at(head)), 'pull --force');
      if (!isNested(pair.at(head))) assert.deepEqual(onDisk(folder), pair.at(head));
      return;
    case 'checkout':
      assert.equal(await pair.attempt(checkout, action.crashAt), true, 'checkout');
      assert.deepEqual(onDisk(folder), base);
      return;
    case 'commit': {
      const { merged, conflicts } = merge(base, pair.at('main'), here);
      const expected = conflicts.length === 0 && !isNested(merged);
      const { size } = server.commits;
      assert.equal(await pair.attempt(commit, action.crashAt), expected, 'commit');
      assert.ok(server.commits.size <= size + 1, 'one commit at most');
      if (!expected) return;
      assert.deepEqual(sorted(onDisk(folder)), sorted(merged), 'nothing of either side is lost here');
      assert.deepEqual(sorted(pair.at(server.head())), sorted(merged), 'nor there');
      assert.equal(server.tree('main').get('other')?.content, 'o');
    }
  }
}

test('random changes on both sides meet as the model says', async t => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(files, fc.array(action, { minLength: 3, maxLength: 12 }), async (start, actions) => {
      const pair = new Pair(start);
      const { context } = await localContext(pair.server);
      await clone(context, input(['srv://lakes/main/p', pair.folder]));
      assert.deepEqual(sorted(onDisk(pair.folder)), sorted(start));
      for (const step of actions) {
        await perform(pair, step);
        counts[step.kind] = (counts[step.kind] ?? 0) + 1;
        const { items } = await status(context, input([pair.folder]));
        const [base, target, here] = [await pair.base(), pair.at(pair.server.head()), onDisk(pair.folder)];
        const differing = Object.keys({ ...base, ...target, ...here }).filter(name => here[name] !== target[name]);
        assert.deepEqual(items.map(item => item.path).sort(), differing.sort());
        const { conflicts } = merge(base, target, here);
        assert.deepEqual(
          items
            .filter(i => i.change === 'conflict')
            .map(i => i.path)
            .sort(),
          [...conflicts].sort(),
        );
      }
    }),
    { seed, numRuns: runCount(15, 50) },
  );
  t.diagnostic(JSON.stringify(counts));
});
