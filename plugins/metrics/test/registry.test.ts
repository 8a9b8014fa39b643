import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noopMetrics, requestBuckets } from '@srv/kernel/metrics';
import { rejectsWith } from '@srv/kernel/testing';
import { Exposition } from '../src/server/exposition.js';
import { MetricsRegistry } from '../src/server/registry.js';
import { parseMetrics } from '../src/testing/text-format.js';

const scrape = async (registry: MetricsRegistry) => parseMetrics(await new Exposition(registry).text());

test('counters, gauges and histograms appear with their numbers', async () => {
  const registry = new MetricsRegistry();
  const runs = registry.counter({ name: 'runs_total', help: 'Runs', labels: ['type', 'status'] });
  runs.labels('lua', 'ok').add();
  runs.labels('lua', 'ok').add(2.5);
  runs.labels('webhook', 'ok').add();
  const open = registry.gauge({ name: 'open_files', help: 'Files' });
  open.labels().set(7);
  open.labels().add(-2);
  const times = registry.histogram({ name: 'run_seconds', help: 'Times', labels: ['type'], buckets: [0.1, 1] }).labels('lua');
  for (const seconds of [0.05, 0.1, 0.5, 3]) times.observe(seconds);

  const page = await scrape(registry);
  assert.equal(page.value('runs_total', { type: 'lua', status: 'ok' }), 3.5);
  assert.equal(page.value('runs_total'), 4.5);
  assert.equal(page.value('open_files'), 5);
  const buckets = page.samples('run_seconds_bucket').map(({ labels, value }) => [labels['le'], value]);
  assert.deepEqual(buckets, [
    ['0.1', 2],
    ['1', 3],
    ['+Inf', 4],
  ]);
  assert.equal(page.value('run_seconds_sum', { type: 'lua' }), 3.65);
  assert.equal(page.value('run_seconds_count', { type: 'lua' }), 4);
  assert.equal(page.metrics.get('run_seconds')?.help, 'Times');
});

test('a page read twice shows the numbers of now, and metrics declared meanwhile', async () => {
  const registry = new MetricsRegistry();
  const exposition = new Exposition(registry);
  const runs = registry.counter({ name: 'runs_total', help: 'Runs' }).labels();
  runs.add();
  assert.equal(parseMetrics(await exposition.text()).value('runs_total'), 1);
  runs.add();
  const depth = registry.gauge({ name: 'depth', help: 'Depth' }).labels();
  registry.beforeScrape(() => depth.set(11));
  const page = parseMetrics(await exposition.text());
  assert.deepEqual([page.value('runs_total'), page.value('depth')], [2, 11]);
});

test('publishes metrics called lakefs_… as srv_… too', async () => {
  const registry = new MetricsRegistry();
  registry
    .gauge({ name: 'lakefs_things', help: 'Things', labels: ['kind'] })
    .labels('a')
    .set(3);
  registry.histogram({ name: 'lakefs_seconds', help: 'Time' }).labels().observe(0.02);
  const page = await scrape(registry);
  for (const prefix of ['lakefs', 'srv']) {
    assert.equal(page.value(`${prefix}_things`, { kind: 'a' }), 3);
    assert.equal(page.value(`${prefix}_seconds_bucket`, { le: '0.02' }), 1);
    assert.equal(page.samples(`${prefix}_seconds_bucket`).length, requestBuckets.length + 1);
  }
});

test('process metrics keep their standard names', async () => {
  const { metrics } = await scrape(new MetricsRegistry());
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    assert.ok(metrics.has(name), name);
});

test('servers in one process have their own numbers', async () => {
  const [one, two] = [new MetricsRegistry(), new MetricsRegistry()];
  for (const registry of [one, two]) registry.counter({ name: 'runs_total', help: 'Runs' });
  one.counter({ name: 'runs_total', help: 'Runs' }).labels().add(5);
  assert.equal((await scrape(one)).value('runs_total'), 5);
  assert.equal((await scrape(two)).value('runs_total'), 0);
});

test('text of any kind survives', async () => {
  const registry = new MetricsRegistry();
  const odd = 'a "b"\\n\n, le="1"} ü';
  registry
    .gauge({ name: 'odd', help: 'back\\slash\nand line', labels: ['text', 'other'] })
    .labels(odd, '')
    .set(-1.5e-9);
  const page = await scrape(registry);
  assert.deepEqual(page.samples('odd'), [{ name: 'odd', labels: { text: odd, other: '' }, value: -1.5e-9 }]);
});

test('one name is one metric', async () => {
  const registry = new MetricsRegistry();
  const facts = { name: 'runs_total', help: 'Runs', labels: ['type'] };
  assert.equal(registry.counter(facts).labels('x'), registry.counter(facts).labels('x'));
  await rejectsWith(async () => registry.gauge(facts), 'plugin', /runs_total is declared twice: as counter \{type\} and as gauge \{type\}/);
  await rejectsWith(async () => registry.counter({ ...facts, labels: [] }), 'plugin', /declared twice/);
  await rejectsWith(async () => registry.counter({ ...facts, name: 'runs-total' }), 'plugin', /letters, digits and underscores/);
  await rejectsWith(async () => registry.histogram({ ...facts, name: 'h', buckets: [1, 1] }), 'plugin', /must be finite and ascend/);
  await rejectsWith(async () => registry.counter(facts).labels(), 'internal', /has the labels type; 0 values were given/);
});

test('without the plugin everything can be measured and nothing is', () => {
  const facts = { name: 'runs_total', help: 'Runs', labels: ['type'] };
  noopMetrics.counter(facts).labels('x').add();
  noopMetrics.gauge(facts).labels('x').set(1);
  noopMetrics.histogram(facts).labels('x').observe(1);
  noopMetrics.beforeScrape(() => assert.fail('it is never read'));
});

for (const [name, text] of Object.entries({
  'a type without help': '# TYPE a counter\na 1\n',
  'a sample of another metric': '# HELP a x\n# TYPE a counter\nb 1\n',
  'a sample without a value': '# HELP a x\n# TYPE a counter\na\n',
  'a sample twice': '# HELP a x\n# TYPE a counter\na 1\na 1\n',
  'a negative counter': '# HELP a x\n# TYPE a counter\na -1\n',
  'open quotes': '# HELP a x\n# TYPE a gauge\na{b="c} 1\n',
  'a label twice': '# HELP a x\n# TYPE a gauge\na{b="1",b="2"} 1\n',
  'a line that does not end': '# HELP a x\n# TYPE a gauge\na 1',
  'buckets that shrink': '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  'a histogram without its last bucket': '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_sum 1\na_count 2\n',
})) {
  test(`the reader of pages refuses ${name}`, () => rejectsWith(async () => parseMetrics(text), 'corrupt'));
}
