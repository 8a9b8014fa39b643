/** Policies of least rights, as the command prints them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { authPoliciesTemplate } from '../src/cli/policy-template.js';
import type { CommandInput } from '@srv/lib-commands';

const template = (options: CommandInput['options']) =>
  runCommand([authPoliciesTemplate as never], fakeContext({}), 'auth policies template', ['srv://lakes'], options);

it('prints the statements for a client, a role and a prefix, which is not a pattern', async () => {
  const arn = 'arn:lakefs:fs:::repository/lakes';
  assert.deepEqual(JSON.parse((await template({ prefix: 'team/', role: 'reader' })).text), {
    statement: [
      { effect: 'allow', action: ['fs:ListObjects'], resource: arn },
      { effect: 'allow', action: ['fs:ReadObject'], resource: `${arn}/object/team/*` },
    ],
  });
  assert.deepEqual((await template({ client: 'duckdb' })).data, {
    statement: [{ effect: 'allow', action: ['fs:WriteObject'], resource: `${arn}/object/*` }],
  });
  await assert.rejects(template({ prefix: 'team' }), /--prefix team: it must end with a slash, else it would cover teamx, too/);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the policy language
  for (const prefix of ['te*m/', '?/', '${user}/']) await assert.rejects(template({ prefix }), /is a pattern in policies/);
});
