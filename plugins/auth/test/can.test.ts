/** `cli auth can`, run against a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { authCan } from '../src/cli/can.js';
import operations from '../src/operations/index.js';
import type { CommandContext } from '@srv/lib-commands';

it('explains which statement decides, and what is nearly allowed', async t => {
  const { url, kernel, key, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const auth = kernel.services.get('auth');
  await auth.createUser({ username: 'ann' });
  await auth.createPolicy('Team', [
    { effect: 'allow', action: ['fs:*Object'], resource: 'arn:lakefs:fs:::repository/lakes/object/team/*' },
  ]);
  await auth.createGroup('data');
  await auth.addMember('data', 'ann');
  await auth.attachToGroup('data', 'Team');
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const can = async (...args: string[]) => {
    const fake = fakeContext({}, { client: (async () => client) as unknown as CommandContext['client'] });
    const { data, text } = await runCommand([authCan as never], fake, 'auth can', args);
    return { text, failed: authCan.failed?.(data as never) };
  };
  assert.deepEqual(await can('ann', 'fs:WriteObject', 'repository/lakes/object/team/a.csv'), {
    text: 'ann may fs:WriteObject on arn:lakefs:fs:::repository/lakes/object/team/a.csv: policy Team says so\n  allow fs:*Object on arn:lakefs:fs:::repository/lakes/object/team/*',
    failed: false,
  });
  const missing = await can('ann', 'fs:WriteObject', 'repository/lakes/object/other.csv');
  assert.match(
    missing.text,
    /^ann may not fs:WriteObject on arn\S+: no statement allows it\n {2}policy Team allows it on other resources: allow fs:\*Object/,
  );
  assert.equal(missing.failed, true);
  assert.match((await can('admin', 'auth:CreateUser', '*')).text, /admin may auth:CreateUser on \*: policy AuthFullAccess says so/);
  await assert.rejects(can('eve', 'fs:ReadObject', '*'), /user not found/);
  await assert.rejects(can('ann', 'everything', '*'), /an action has a service and a name/);
});

it('explains what the permission of a group allows, where groups have one each', async t => {
  const { url, kernel, key, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'simplified' } });
  t.after(stop);
  const auth = kernel.services.get('auth');
  await auth.createUser({ username: 'ann' });
  await auth.addMember('Readers', 'ann');
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const can = async (...args: string[]) => {
    const fake = fakeContext({}, { client: (async () => client) as unknown as CommandContext['client'] });
    return (await runCommand([authCan as never], fake, 'auth can', args)).text;
  };
  assert.match(
    await can('ann', 'fs:ReadObject', 'repository/lakes/object/a'),
    /^ann may fs:ReadObject on \S+: policy ACL\(_-_\)Readers says so/,
  );
  assert.match(
    await can('ann', 'fs:WriteObject', 'repository/lakes/object/a'),
    /^ann may not fs:WriteObject on \S+: no statement allows it$/,
  );
  await assert.rejects(client.listUserPolicies({ userId: 'ann', effective: true }), /Not Implemented/);
});
