import assert from 'node:assert/strict';
import { it } from 'node:test';
import { actionFile, openServer } from './probe.js';

it('hooks are counted by type and result', async t => {
  const { client, put, url } = await openServer(t, { plugins: ['metrics'] });
  await put(
    'main',
    '_srv_actions/a',
    actionFile('counted', ['pre-commit'], { one: {}, two: { fail: 'no' }, three: {}, four: { if: 'true' } }),
  );
  await assert.rejects(client.commit({ repository: 'repo', branch: 'main', body: { message: 'm' } }));
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^lakefs_hook_runs_total\{(.*)\} (\d+)$/gm)].map(([, labels, count]) => `${labels} ${count}`);
  assert.deepEqual(counts.sort(), ['type="probe",result="failed" 1', 'type="probe",result="passed" 2', 'type="probe",result="skipped" 1']);
  assert.match(text, /^lakefs_hook_duration_seconds_count\{type="probe"\} 3$/m);
});

it('reports runs for statistics, by the event that started them', async t => {
  const { client, put, kernel } = await openServer(t);
  const told: string[] = [];
  kernel.hooks.activity.tap('test', ({ class: group, name, repository, ref, user }) => {
    if (group === 'actions_service') told.push([name, repository, ref, user].join(' '));
  });
  await put('main', '_srv_actions/a', actionFile('one', ['pre-commit'], { one: {}, two: {} }));
  await client.commit({ repository: 'repo', branch: 'main', body: { message: 'm' } });
  await client.createBranch({ repository: 'repo', body: { name: 'dev', source: 'main' } });
  assert.deepEqual(told, ['pre-commit repo main admin']);
});
