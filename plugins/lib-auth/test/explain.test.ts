/** Explanations agree with decisions, whatever the policies are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { decide, explain } from '../src/index.js';
import type { Policy, Statement } from '../src/index.js';

const policy = (id: string, ...statement: Statement[]): Policy => ({ id, createdAt: new Date(0), statement });
const arn = (path: string): string => `arn:lakefs:fs:::repository/lakes/object/${path}`;

test('an explanation names the statement that decides, and what nearly does', () => {
  const team: Statement = { effect: 'allow', action: ['fs:WriteObject'], resource: arn('team/*') };
  const office: Statement = { effect: 'allow', action: ['fs:*'], resource: '*', condition: { IpAddress: { SourceIp: ['192.0.2.0/24'] } } };
  const never: Statement = { effect: 'deny', action: ['fs:Delete*'], resource: arn('*') };
  const policies = [policy('Team', team), policy('Office', office), policy('Keep', never)];
  const ask = (action: string, path: string, SourceIp?: string) =>
    explain({ action, resource: arn(path) }, policies, { username: 'ann', facts: SourceIp === undefined ? {} : { SourceIp } });
  assert.deepEqual(ask('fs:WriteObject', 'team/a'), { allowed: true, decides: { policy: 'Team', statement: team }, nearly: [] });
  assert.deepEqual(ask('fs:DeleteObject', 'team/a', '192.0.2.7'), {
    allowed: false,
    decides: { policy: 'Keep', statement: never },
    nearly: [],
  });
  assert.deepEqual(ask('fs:WriteObject', 'other/a', '192.0.2.7').decides?.policy, 'Office');
  assert.deepEqual(ask('fs:WriteObject', 'other/a').nearly, [
    { policy: 'Team', statement: team, because: 'resource' },
    { policy: 'Office', statement: office, because: 'condition' },
  ]);
  assert.deepEqual(ask('ci:ReadAction', 'a'), { allowed: false, nearly: [] });
});

test('an explanation allows exactly what the decision allows', () => {
  const random = seededRandom();
  const statement = (): Statement => ({
    effect: random.below(4) === 0 ? 'deny' : 'allow',
    action: [random.choose(['fs:*', 'fs:Read*', 'fs:ReadObject', 'fs:WriteObject', 'fs:[', '*'])],
    resource: random.choose(['*', arn('*'), arn('a'), arn('$' + '{user}/*'), `["${arn('b')}"]`, '[broken', 'arn:broken']),
    ...(random.below(3) === 0 ? { condition: { IpAddress: { SourceIp: [random.choose(['192.0.2.0/24', 'broken'])] } } } : {}),
  });
  for (let run = 0; run < runCount(2000, 20_000); run++) {
    const policies = Array.from({ length: random.below(4) }, (_, i) =>
      policy(`p${i}`, ...Array.from({ length: 1 + random.below(2) }, statement)),
    );
    const leaf = {
      action: random.choose(['fs:ReadObject', 'fs:WriteObject']),
      resource: random.choose([arn('a'), arn('b'), arn('ann/x'), '*']),
    };
    const subject = { username: 'ann', facts: random.below(2) === 0 ? {} : { SourceIp: random.choose(['192.0.2.7', '198.51.100.1']) } };
    const found = explain(leaf, policies, subject);
    const context = `SRV_TEST_SEED=${random.seed} ${JSON.stringify({ policies, leaf, subject })}`;
    assert.equal(found.allowed, decide(leaf, policies, subject).allowed, context);
    assert.equal(found.decides !== undefined || !found.allowed, true, context);
  }
});
