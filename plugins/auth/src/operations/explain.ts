/** Why a user may do something, or may not. */

import { isIP } from 'node:net';
import { SrvError } from '@srv/kernel';
import { checkedText, flag, json, list, may, oneOf, operation, optional, record, text, userArn } from '@srv/lib-api';
import { explain } from '@srv/lib-auth';
import { has } from './features.js';
import { userId } from './ids.js';
import { reading } from './kinds.js';
import { statement } from './wire.js';
import type { AuthService, Policy } from '../contract.js';

const explained = { policy: text(), statement };

export const explainOperations = {
  explainPermission: operation({
    operationId: 'explainPermission',
    ...reading,
    path: '/auth/users/{userId}/can',
    summary: 'Whether a user may do something, and which statement of which policy decides',
    supported: has('groups'),
    params: { userId },
    query: {
      action: text({ pattern: /^[a-z0-9]+:[A-Za-z]+$/, problem: 'an action has a service and a name, such as fs:CreateCommit' }),
      resource: checkedText(resourceProblem),
      source_ip: optional(text()),
    },
    result: json(
      record({
        allowed: flag(),
        decides: optional(record(explained)),
        nearly: list(record({ ...explained, because: oneOf('resource', 'condition') })),
      }),
    ),
    failures: [404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    async handler({ services }, { userId: username, action, resource, source_ip: sourceIp }) {
      if (sourceIp !== undefined && isIP(sourceIp) === 0)
        throw new SrvError('invalid', `source_ip: ${JSON.stringify(sourceIp)} is not an address such as 192.0.2.7`);
      const auth = services.get('auth');
      await auth.getUser(username);
      const facts = sourceIp === undefined ? {} : { SourceIp: sourceIp };
      return explain({ action, resource }, await effectivePolicies(auth, username), { username, facts });
    },
  }),
};

function resourceProblem(resource: string): string | undefined {
  return resource === '*' || resource.startsWith('arn:lakefs:')
    ? undefined
    : 'resource: invalid value: validation error; such as arn:lakefs:fs:::repository/lakes/object/a.csv';
}

async function effectivePolicies(auth: AuthService, username: string): Promise<readonly Policy[]> {
  const found: Policy[] = [];
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await auth.listUserPolicies(username, { effective: true, after, amount: 1000 });
    found.push(...results);
    if (!hasMore) return found;
    after = nextOffset;
  }
}
