import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('../src/srv/young-requests.js', import.meta.url).href;

/** How often young memory is collected while a process makes objects that die at once, after many of their kind have lived long. */
function youngCollections(isCalled: boolean): number {
  const program = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { keepRequestsYoung } from ${JSON.stringify(module)};
    if (${isCalled}) keepRequestsYoung();
    const made = i => { const parts = [i, { i }]; return { i, params: { i }, parts, answer: () => i }; };
    const batch = size => { const all = []; for (let i = 0; i < size; i++) all.push(made(i)); return all; };
    const held = [];
    for (let round = 0; round < 60; round++) {
      held.push(batch(20_000));
      if (held.length > 12) held.shift();
    }
    held.length = 0;
    let count = 0;
    new PerformanceObserver(list => {
      count += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR).length;
    }).observe({ entryTypes: ['gc'] });
    let last;
    for (let round = 0; round < 3000; round++) last = batch(1000);
    setTimeout(() => console.log(count, last.length), 50);`;
  const flags = ['--single-threaded', '--max-semi-space-size=2', '--input-type=module', '--eval'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program], { encoding: 'utf8' });
  assert.match(stdout, /^\d+ 1000\n$/, stderr);
  return Number.parseInt(stdout, 10);
}

test('objects that die at once are young ones, though many of their kind have lived long', () => {
  const young = youngCollections(true);
  // Now and then the compiler comes too late to notice that they live long.
  const others: number[] = [];
  while (others.length < 5 && !others.some(count => count < young)) others.push(youngCollections(false));
  assert.ok(
    others.some(count => count < young),
    `${young} collections of young memory, otherwise ${others.join()}`,
  );
});
