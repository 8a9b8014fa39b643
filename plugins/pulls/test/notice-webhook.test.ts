/** Notices to a server of the operator. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { ScriptedHttp, startSrv, startWebhookReceiver } from '@srv/test-servers';
import { NoticeWebhook } from '../src/server/notice-webhook.js';
import type {} from '@srv/auth/contract';
import type { Repository } from '@srv/engine/contract';
import type { Logger, User } from '@srv/kernel';
import type { Author, PullRequest } from '../src/contract.js';

const as = (username: string): Author => ({ username, committer: username });
const secret = 'a key of notices';

it('a change is announced to the server once, signed, with the users whom it concerns', async t => {
  const receiver = await startWebhookReceiver();
  t.after(receiver.close);
  const srv = await startSrv({
    plugins: ['pulls'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'pulls.notices.webhook_url': `${receiver.url}/notices?team=data`,
      'pulls.notices.webhook_secret': secret,
    },
  });
  t.after(srv.stop);
  const { services } = srv.kernel;
  const [engine, auth, pulls] = [services.get('engine'), services.get('auth'), services.get('pulls')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  await auth.createPolicy('readers', [{ effect: 'allow', action: ['pr:ReadPullRequest'], resource: 'arn:lakefs:fs:::repository/lakes' }]);
  for (const [username, email] of [
    ['ann', 'ann@example.com'],
    ['bob', undefined],
    ['out', 'out@example.com'],
  ] as const) {
    await auth.createUser({ username, ...(email ? { email } : {}) });
    if (username !== 'out') await auth.attachToUser(username, 'readers');
  }
  const { id } = await pulls.create(
    'lakes',
    { title: 'Add it', description: '', author: 'ann', source: 'dev', destination: 'main' },
    as('ann'),
  );
  await pulls.reviewers.request('lakes', id, 'out', as('ann'));
  await pulls.reviewers.request('lakes', id, 'bob', as('ann'));
  await until(() => receiver.received.length >= 1 || undefined);
  await pulls.comments.add('lakes', id, { author: as('bob'), body: 'Why?', path: 'a.csv', line: 3 });
  await until(() => receiver.received.length >= 2 || undefined);
  const [asked, said] = receiver.received;
  assert.ok(asked && said);
  assert.equal(asked.url, '/notices?team=data');
  for (const { headers, body } of [asked, said])
    assert.equal(headers['x-srv-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const notice = JSON.parse(asked.body) as Record<string, unknown>;
  assert.equal(notice['id'], asked.headers['x-srv-delivery']);
  assert.ok(Math.abs(Date.parse(String(notice['time'])) - Date.now()) < 600_000);
  assert.deepEqual(
    { ...notice, id: '', time: '' },
    {
      id: '',
      time: '',
      change: 'review-requested',
      repository: 'lakes',
      user: 'ann',
      pull_request: {
        id,
        title: 'Add it',
        author: 'ann',
        source_branch: 'dev',
        destination_branch: 'main',
        page: `/repositories/lakes/pulls/${id}`,
      },
      reviewer: 'bob',
      recipients: [{ username: 'bob' }],
    },
  );
  const { recipients, comment } = JSON.parse(said.body) as { recipients: unknown; comment: { body: string; line: number } };
  assert.deepEqual(recipients, [{ username: 'ann', email: 'ann@example.com' }]);
  assert.deepEqual([comment.body, comment.line], ['Why?', 3]);
  assert.equal(receiver.received.length, 2);
});

/** A webhook whose pauses take no time, and what it logs. */
function webhookTo(url: string, waits: readonly number[] = [0, 0, 0]) {
  const warnings: Record<string, unknown>[] = [];
  const log = { warn: (fields: Record<string, unknown>) => void warnings.push(fields) } as unknown as Logger;
  const webhook = new NoticeWebhook({ url, secret, timeout: 5000, waits, log });
  const announcement = {
    repository: { id: 'lakes' } as Repository,
    pull: { id: 'p1', title: 'T', author: 'ann', source: 'dev', destination: 'main' } as PullRequest,
    change: 'merged' as const,
    by: as('bob'),
  };
  const user = { username: 'ann' } as User;
  return { webhook, warnings, send: () => webhook.send(announcement as never, [user]) };
}

it('a notice is repeated with the same id until the server accepts it', async t => {
  const receiver = await startWebhookReceiver();
  t.after(receiver.close);
  const answers = [500, 302, 204];
  receiver.answer((_, response) => {
    response.statusCode = answers.shift() ?? 500;
    response.setHeader('location', 'http://127.0.0.1:1/elsewhere');
    response.end();
  });
  const { send, warnings } = webhookTo(receiver.url);
  await send();
  assert.equal(receiver.received.length, 3);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-srv-delivery'])).size, 1);
  assert.deepEqual(warnings, []);
});

it('a notice that is never accepted is logged after the last attempt', async () => {
  const receiver = await ScriptedHttp.open((_request, response) => response.writeHead(503).end());
  const { url } = receiver;
  const { send, warnings } = webhookTo(url);
  await send();
  assert.deepEqual([warnings.length, warnings[0]?.['attempts'], warnings[0]?.['error']], [1, 4, 'the receiver answers 503']);
  await receiver.close();
  const gone = webhookTo(url, []);
  await gone.send();
  assert.match(String(gone.warnings[0]?.['error']), /ECONNREFUSED/);
});

it('a stop ends the wait for the next attempt', async t => {
  const receiver = await startWebhookReceiver();
  t.after(receiver.close);
  const { webhook, send, warnings } = webhookTo(receiver.url, [3_600_000]);
  receiver.answer((_, response) => response.writeHead(500).end());
  const sent = send();
  await until(() => receiver.received.length === 1 || undefined);
  webhook.stop();
  await sent;
  assert.equal(warnings.length, 1);
});

it('an address needs a key and a scheme', async () => {
  const starting = (config: Record<string, unknown>) => startSrv({ plugins: ['pulls'], config });
  await assert.rejects(starting({ 'pulls.notices.webhook_url': 'https://example.com' }), /webhook_secret/);
  for (const url of ['hush.example', 'ftp://hush', 'https://user:hush@example.com'])
    await assert.rejects(
      starting({ 'pulls.notices.webhook_url': url, 'pulls.notices.webhook_secret': 'x' }),
      (error: Error) => /webhook_url: the value is not an http/.test(error.message) && !error.message.includes('hush'),
      url,
    );
});
