/** JavaScript that an interrupt ended: the person has the prompt back, and what continues changes nothing any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { page } from './fake-context.js';
import { shell } from './shell.js';

const branch = "{ repository: 'repo', branch: 'b' + i }";
const all = 'for (let i = 0; i < 5; i++)';

/** Runs JavaScript that deletes branches, and interrupts it at the second one. @returns how many deletions began. */
async function interruptedAt(javascript: string, interrupt: 'shell' | 'program'): Promise<number> {
  const program = new AbortController();
  let deletions = 0;
  const deleteBranch = async (): Promise<void> => {
    if (++deletions !== 2) return;
    if (interrupt === 'program') program.abort();
    else assert.ok(session.interrupt());
  };
  const { session, run, out, told } = shell({ deleteBranch, call: deleteBranch }, { signal: program.signal });
  const code = await run(`await (async () => {\n${javascript}\n})().finally(() => console.log('ended'))`);
  assert.equal(code, 1);
  assert.match(told[0] ?? '', /^interrupted\n/);
  await until(() => out().includes('ended'));
  assert.equal(session.interrupt(), false);
  return deletions;
}

for (const [name, javascript] of [
  ['run', `${all} await run\`branch delete srv://repo/b\${i} -y\``],
  ['lines of the shell', `${all} {\nbranch delete srv://repo/b$i -y\n}`],
  ['the client', `${all} await client().deleteBranch(${branch})`],
  ['the client that was kept', `const api = await client()\n${all} await api.deleteBranch(${branch})`],
  ['the general call of the client', `const api = await client()\n${all} await api.call('deleteBranch', ${branch})`],
  ['a loop that ignores errors', `${all} try { await client().deleteBranch(${branch}) } catch {}`],
  ['parallel', `await parallel([0, 1, 2, 3, 4], i => run\`branch delete srv://repo/b\${i} -y\`, { limit: 1 })`],
  [
    'parallel that keeps going and tries again',
    `await parallel([0, 1, 2, 3, 4], i => client().deleteBranch(${branch}), { limit: 1, keepGoing: true, retries: 3 })`,
  ],
] as const)
  for (const interrupt of ['shell', 'program'] as const)
    test(`an interrupt of the ${interrupt} ends changes by ${name}`, async () => {
      assert.equal(await interruptedAt(javascript, interrupt), 2);
    });

test('after an interrupt, parallel calls its function for no further item, even without commands in it', async () => {
  const { session, run, out } = shell({}, { names: { interrupt: () => session.interrupt() } });
  const script = 'await parallel([1, 2, 3], n => { console.log(n); if (n === 2) interrupt() }, { limit: 1, keepGoing: true })';
  assert.equal(await run(`${script}.finally(() => console.log('ended'))\n`), 1);
  await until(() => out().includes('ended'));
  assert.equal(out(), '1\n2\nended\n');
});

test('the next line works after an interrupt, with functions of the interrupted one', async () => {
  const user = { user: { id: 'ann', creation_date: 0 } };
  const { session, run, out, calls } = shell({ deleteBranch: async () => void session.interrupt(), getCurrentUser: user });
  const script = [
    'let who',
    '{ who = async () => (await client().getCurrentUser()).user.id',
    "await client().deleteBranch({ repository: 'repo', branch: 'b' }) }",
    'console.log(await who())',
  ];
  assert.equal(await run(script.join('\n'), { keepGoing: true }), 1);
  assert.equal(out(), 'ann\n');
  assert.deepEqual(
    calls.map(([name]) => name),
    ['deleteBranch', 'getCurrentUser'],
  );
});

test('results that nothing reads keep neither an interrupt from the prompt nor the shell running', async () => {
  const { session, run } = shell({ getCurrentUser: { user: { id: 'ann', creation_date: 0 } }, listBranches: page([{ id: 'main' }]) });
  assert.equal(await run("const user = run('identity')\nawait new Promise(done => { setTimeout(done, 1) })"), 0);
  await until(() => !session.interrupt());
  assert.equal(await run("const branches = run('branch list srv://repo')\nawait new Promise(done => { setTimeout(done, 1) })"), 0);
  session.interrupt();
  assert.equal(session.interrupt(), false);
});

test('work that nothing waits for ends silently after an interrupt', async () => {
  const { session, run, out, told } = shell({ deleteBranch: async () => void session.interrupt(), getCurrentUser: {} });
  const script = [
    'let left; const ended = new Promise(resolve => { left = resolve })',
    '{ (async () => {',
    '  try { await client().deleteBranch({ repository: "repo", branch: "b" }); await client().getCurrentUser() }',
    '  finally { left() } })()',
    'await new Promise(() => {}) }',
    "await ended; await new Promise(resolve => { setImmediate(resolve) }); console.log('next')",
  ];
  assert.equal(await run(script.join('\n'), { keepGoing: true }), 1);
  assert.equal(out(), 'next\n');
  assert.equal(told.filter(line => line.startsWith('interrupted')).length, 1);
});
