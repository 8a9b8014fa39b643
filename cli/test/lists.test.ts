/** Lists in the shell: arrays, whole in scripts, read as they are needed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { listed } from '@srv/lib-commands';
import { shell } from './shell.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';

const count = 2500;
const all = Array.from({ length: count }, (_, i) => ({ id: `branch-${i}`, commit_id: `c${i}` }));

interface Query {
  readonly after?: string;
  readonly amount: number;
}

/** A server with many branches. */
function answers() {
  const asked: Query[] = [];
  const listBranches = (query: Query) => {
    asked.push(query);
    const begin = query.after === undefined ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
    const results = all.slice(begin, begin + query.amount);
    const hasMore = begin + query.amount < count;
    return { results, pagination: { has_more: hasMore, next_offset: hasMore ? (results.at(-1)?.id ?? '') : '' } };
  };
  return { asked, answers: { listBranches, listRepositories: listBranches, listTags: listBranches } };
}

async function values(lines: string, options: Parameters<typeof shell>[1] = {}): Promise<readonly unknown[]> {
  const { run, out, told } = shell(answers().answers, { wholeLists: true, ...options });
  assert.equal(await run(`use srv://repo\n${lines}`), 0, told.join('\n'));
  return out()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as unknown);
}

test('run gives arrays, whole unless an amount is given, and prints nothing', async () => {
  const lines = [
    "for (const list of ['branch list', 'repo list', 'tag list', 'branch list --amount 100', 'branch list --amount 2 --after branch-9', 'branch list --all'])",
  ];
  const read = '{ const found = await run(list); console.log(JSON.stringify([Array.isArray(found), found.length, found[0].id])) }';
  assert.deepEqual(await values([...lines, read].join('\n')), [
    [true, count, 'branch-0'],
    [true, count, 'branch-0'],
    [true, count, 'branch-0'],
    [true, 100, 'branch-0'],
    [true, 2, 'branch-10'],
    [true, count, 'branch-0'],
  ]);
});

test('_ is the array that a line printed; in scripts the lines are whole', async () => {
  const { run, out, told } = shell(answers().answers, { wholeLists: true });
  assert.equal(
    await run('branch list srv://repo\nconsole.log(_.length, Array.isArray(_))\nbranch list srv://repo --amount 3\nconsole.log(_.length)'),
    0,
    told.join(),
  );
  assert.equal(out().split('\n').length, count + 1 + 3 + 1 + 1);
  assert.match(out(), /^2500 true$/m);
  assert.match(told.join('\n'), /for more results run with --amount 3 --after "branch-2"/);
  const prompt = shell(answers().answers);
  assert.equal(await prompt.run('branch list srv://repo\n_.length'), 0);
  assert.match(prompt.out(), /^100$/m);
});

test('for await reads page by page, and no more than it takes', async () => {
  const { answers: server, asked } = answers();
  const { run, out, told } = shell(server, { wholeLists: true });
  const script = [
    'let n = 0',
    "for await (const branch of run('branch list srv://repo')) if (++n === 5) break",
    'console.log(n)',
    'for await (const branch of run`branch list srv://repo | where id.endsWith("7")`) n++',
    'console.log(n)',
  ];
  assert.equal(await run(script.join('\n')), 0, told.join('\n'));
  assert.equal(out(), '5\n255\n');
  assert.deepEqual(
    asked.map(({ amount, after }) => [amount, after]),
    [
      [1000, undefined],
      [1000, undefined],
      [1000, 'branch-999'],
      [1000, 'branch-1999'],
    ],
  );
});

test('a list is not kept in memory by a script that does not look back', async () => {
  let most = 0;
  const made: WeakRef<object>[] = [];
  const items = {
    name: 'items',
    summary: 'x',
    run: async function* () {
      for (let i = 0; i < 40; i++) {
        const item = { payload: 'x'.repeat(100_000), i };
        made.push(new WeakRef(item));
        yield item;
        if (i % 5 !== 4) continue;
        await new Promise(resolve => setImmediate(resolve));
        globalThis.gc?.();
        most = Math.max(most, made.filter(ref => ref.deref()).length);
      }
    },
    render: () => '',
  };
  if (globalThis.gc === undefined) {
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    globalThis.gc = runInNewContext('gc') as typeof globalThis.gc;
  }
  const { run } = shell({}, { added: [items], wholeLists: true });
  assert.equal(await run("items\nfor await (const item of run('items')) item.i\nitems | where i > 3"), 0);
  assert.ok(most < 20, `${most} of 40 items lived at once`);
});

test('an amount and --all exclude each other', async () => {
  const { run, told } = shell(answers().answers);
  assert.equal(await run('branch list srv://repo --all --amount 3'), 2);
  assert.match(told.join(), /--all and --amount exclude each other/);
});

test('the hint how to see more can be pasted into a shell, whatever a name holds', async () => {
  const names = ['main', "it's", '$(touch pwned)', '`touch pwned`', 'a"b', 'a\\b', 'say "!!"', "'; touch pwned; '", 'a b', 'a\nb'];
  const told: string[] = [];
  const context = { terminal: { colours: { yellowBright: String } }, tell: (line: string) => void told.push(line) };
  const input = { options: { amount: 1 }, given: ['amount'] };
  for (const name of names)
    await listed(context as unknown as CommandContext, input as unknown as CommandInput, async () => ({
      results: [],
      pagination: { has_more: true, next_offset: name },
    }));
  const cwd = scratchFolder();
  for (const [i, name] of names.entries()) {
    const hint = told[i]?.replace('for more results run with ', '') ?? '';
    const { stdout } = spawnSync('sh', ['-c', `printf '%s|' ${hint}`], { cwd, encoding: 'utf8' });
    assert.equal(stdout, `--amount|1|--after|${name.replace('\n', '\\n')}|`);
  }
  assert.deepEqual(readdirSync(cwd), []);
  assert.match(told[0] ?? '', /--after "main"$/);
});
