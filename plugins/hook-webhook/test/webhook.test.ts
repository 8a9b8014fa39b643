/** Webhooks to a receiver that answers well, badly, slowly, too much or elsewhere. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeader } from '@srv/lib-api/hook-types';
import { hookRequest } from '@srv/lib-api/testing';
import { startWebhookReceiver } from '@srv/test-servers';
import { webhookProperties } from '../src/properties.js';
import { sendEvent } from '../src/send.js';
import type { WebhookReceiver } from '@srv/test-servers';

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

/** A request with the properties as they stand in a file. */
function request(properties: object, choices: Partial<Parameters<typeof hookRequest>[0]> = {}) {
  const { value, error } = webhookProperties.validate({ url: receiver.url, ...properties });
  if (!value) throw new Error(error?.message);
  return hookRequest({ ...choices, properties: value });
}

describe('a webhook', () => {
  it('sends its own headers once, however a file spells them', async () => {
    const headers = { 'content-type': 'text/plain', 'x-srv-signature': 'sha256=made-up', 'User-agent': 'mine' };
    const { request: sent, printed } = request({ headers, signature_secret: 'secret' });
    await sendEvent(sent);
    const [event] = receiver.received;
    assert.equal(event?.headers['content-type'], 'application/json');
    assert.equal(event.headers['user-agent'], 'mine');
    assert.equal(event.headers[signatureHeader.toLowerCase()], `sha256=${createHmac('sha256', 'secret').update(event.body).digest('hex')}`);
    assert.doesNotMatch(printed(), /made-up|text\/plain/);
  });

  it('sends the event with its query and headers, and masks values of the environment', async () => {
    const variables = { TOKEN: 'a secret token', SIZE: 'large' };
    const under = request(
      {
        url: `${receiver.url}/hook?z=1&b=0`,
        query_params: { b: ['{{ ENV.SIZE }} box', 'plain'], a: 'x&y' },
        headers: { 'X-Token': 'Bearer {{ENV.TOKEN}}', 'Content-Type': 'text/plain', 'X-Plain': 'p' },
      },
      { variables },
    );
    await sendEvent(under.request);
    const [event] = receiver.received;
    assert.equal(event?.method, 'POST');
    assert.equal(event.url, '/hook?a=x%26y&b=0&b=large+box&b=plain&z=1');
    assert.equal(event.headers['x-token'], 'Bearer a secret token');
    assert.equal(event.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(event.body), { ...under.request.payload });
    const printed = under.printed();
    const lines = printed.split(/\r?\n/);
    assert.deepEqual(lines.slice(0, 12), [
      'Request:',
      `POST ${receiver.url}/hook?z=1&b=0`,
      'Query Params:',
      'b: *******',
      'b: plain',
      'a: x&y',
      'Headers:',
      'X-Token: *******',
      'X-Plain: p',
      'Content-Type: application/json',
      'Request Body:',
      event.body,
    ]);
    assert.deepEqual(lines.slice(12, 14), ['', '']);
    assert.match(printed, /\n\nRequest duration: [\d.]+[mµ]?s\n\nResponse:\nHTTP\/1.1 200 OK\r\n(.+\r\n)+\r\nok\n$/);
    assert.doesNotMatch(printed, /secret token|large/);
  });

  it('sends user and password of the address, unless a header authorizes, and prints neither', async () => {
    const withUser = receiver.url.replace('://', '://us%40er:p%zz@');
    for (const [headers, expected] of [
      [{}, `Basic ${Buffer.from('us@er:p%zz').toString('base64')}`],
      [{ authorization: 'Bearer x' }, 'Bearer x'],
    ] as const) {
      const under = request({ url: `${withUser}/hook?to=a@b`, headers });
      await sendEvent(under.request);
      assert.equal(receiver.received.at(-1)?.headers['authorization'], expected);
      assert.ok(under.printed().includes(`\nPOST ${receiver.url.replace('://', '://******@')}/hook?to=a@b\n`), under.printed());
      assert.doesNotMatch(under.printed(), /us%40er|us@er|p%zz/);
    }
    const plain = request({ url: `${receiver.url}/hook?to=a@b` });
    await sendEvent(plain.request);
    assert.ok(plain.printed().includes(`\nPOST ${receiver.url}/hook?to=a@b\n`));
    await assert.rejects(sendEvent(request({ url: 'http://user:word@' }).request), { message: /^"http:\/\/\*{6}@" is not a URL/ });
  });

  it('prints durations in whole milliseconds', async t => {
    let now = 0;
    t.mock.method(performance, 'now', () => (now += 2000.901001));
    const under = request({});
    await sendEvent(under.request);
    assert.match(under.printed(), /\nRequest duration: (?:\d+m)?\d+(?:\.\d{1,3})?s\n/);
  });

  it('escapes as existing receivers expect', async () => {
    const { request: sent } = request({});
    await sendEvent({ ...sent, payload: { ...sent.payload, commit_message: '<a> & \u2028' } });
    assert.match(receiver.received[0]?.body ?? '', /"\\u003ca\\u003e \\u0026 \\u2028"/);
  });

  it('succeeds with 200 to 299 only', async () => {
    for (const status of [200, 204, 299]) {
      receiver.answer((_, response) => response.writeHead(status).end());
      await sendEvent(request({}).request);
    }
    for (const status of [300, 304, 400, 500, 503]) {
      receiver.answer((_, response) => response.writeHead(status).end('why'));
      const under = request({});
      await assert.rejects(sendEvent(under.request), { message: `webhook request failed (status code: ${status})` });
      assert.match(under.printed(), new RegExp(`HTTP/1.1 ${status} `));
    }
  });

  it('has one limit of time for the whole exchange', async () => {
    receiver.answer((_, response) => void response.writeHead(200).write('a beginning'));
    const slow = request({ timeout: '100ms' });
    await assert.rejects(sendEvent(slow.request), /context deadline exceeded \(Client.Timeout exceeded: no complete answer within 100ms\)/);
    receiver.answer(() => undefined);
    await assert.rejects(
      sendEvent(request({ timeout: '50ms' }).request),
      /^Error: Post "http:\/\/127.0.0.1:\d+\/": context deadline exceeded/,
    );
  });

  it('ends when the caller no longer waits', async () => {
    receiver.answer(() => undefined);
    const controller = new AbortController();
    const running = sendEvent(request({}, { signal: controller.signal }).request);
    while (receiver.received.length === 0) await sleep(5);
    controller.abort(new Error('the server stopped'));
    await assert.rejects(running, { message: 'the server stopped' });
  });

  it('reads no more of an answer than is kept', async () => {
    let written = 0;
    receiver.answer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const under = request({});
    await sendEvent(under.request);
    assert.match(under.printed(), /x{65536}\n\[the rest of the answer is not read\]\n$/);
    assert.ok(written < 20_000_000, `${written} bytes were sent`);
  });

  it('follows redirects on the same host, and none to another one', async t => {
    const other = await startWebhookReceiver();
    t.after(() => other.close());
    const redirect = (status: number, location: string) =>
      receiver.answer(({ url }, response) => {
        if (url.startsWith('/end')) response.end('there');
        else response.writeHead(status, { Location: location }).end();
      });
    redirect(307, '/end?x=1');
    await sendEvent(request({ headers: { 'X-Kept': 'k' } }).request);
    assert.deepEqual(
      receiver.received.map(({ method, url, headers, body }) => [method, url, headers['x-kept'], body === '']),
      [
        ['POST', '/', 'k', false],
        ['POST', '/end?x=1', 'k', false],
      ],
    );
    redirect(303, `${receiver.url}/end`);
    await sendEvent(request({}).request);
    assert.deepEqual([receiver.received[3]?.method, receiver.received[3]?.body], ['GET', '']);
    redirect(307, `${other.url}/end`);
    const under = request({});
    await assert.rejects(sendEvent(under.request), { message: 'webhook request failed (status code: 307)' });
    assert.deepEqual(other.received, []);
    assert.match(under.printed(), /is not followed: it is another host/);
    redirect(302, '/again');
    await assert.rejects(sendEvent(request({}).request), /stopped after 10 redirects/);
  });

  it('signs the body', async () => {
    const under = request({ signature_secret: '{{ ENV.KEY }}' }, { variables: { KEY: 'of the two of us' } });
    await sendEvent(under.request);
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' };
    const expected = createHmac('sha256', 'of the two of us').update(body).digest('hex');
    assert.equal((headers as Record<string, unknown>)[signatureHeader.toLowerCase()], `sha256=${expected}`);
    assert.doesNotMatch(under.printed(), /of the two of us/);
  });

  it('says what it cannot do', async () => {
    await assert.rejects(sendEvent(request({ headers: { a: '{{ ENV.GONE }}' } }).request), {
      message: 'extracting headers: reading header: GONE not found: missing env var',
    });
    await assert.rejects(sendEvent(request({ query_params: { a: '{{ ENV.GONE }}' } }).request), {
      message: 'extracting query params: reading query param: GONE not found: missing env var',
    });
    await assert.rejects(sendEvent(request({ url: 'nowhere' }).request), /"nowhere" is not a URL/);
    const refused = request({ url: 'http://127.0.0.1:1/' });
    await assert.rejects(sendEvent(refused.request), /^Error: Post "http:\/\/127.0.0.1:1\/": .*ECONNREFUSED/);
    assert.doesNotMatch(refused.printed(), /Response/);
  });
});

it('properties are checked as existing files rely on', () => {
  const problem = (properties: object): string | undefined => webhookProperties.validate(properties).error?.message;
  assert.equal(problem({}), "'url' must be supplied in properties");
  assert.equal(problem({ url: 1 }), 'webhook url must be string: webhook wrong format');
  assert.match(problem({ url: 'u', timeout: 'soon' }) ?? '', /^webhook request duration: "soon"/);
  const query = 'extracting query params: ';
  assert.equal(
    problem({ url: 'u', query_params: { a: 1 } }),
    `${query}query params single value should be of type string: webhook wrong format`,
  );
  assert.equal(
    problem({ url: 'u', query_params: { a: [true] } }),
    `${query}query params array should contains only strings: webhook wrong format`,
  );
  assert.equal(problem({ url: 'u', query_params: [] }), `${query}unsupported query params: webhook wrong format`);
  assert.equal(
    problem({ url: 'u', headers: { a: 1 } }),
    'extracting headers: headers array should contains only strings: webhook wrong format',
  );
  assert.equal(problem({ url: 'u', headers: 'a' }), 'extracting headers: unsupported headers: webhook wrong format');
  for (const url of ['file:///etc/passwd', 'localhost:8080/hook', 'ftp://{{ ENV.HOST }}', ' FILE:///{{ ENV.PATH }}'])
    assert.equal(problem({ url }), `url: ${JSON.stringify(url)} is not an HTTP address; begin it with http:// or https://`);
  for (const url of ['HTTPS://example.com/hook?a=b', 'http://[::1]:8080/{{ ENV.PATH }}', 'http://{{ ENV.HOST }}/', '{{ ENV.URL }}'])
    assert.equal(webhookProperties.validate({ url }).value?.url, url);
  for (const timeout of [undefined, '', 5, null]) assert.equal(webhookProperties.validate({ url: 'u', timeout }).value?.timeout, 60_000);
});
