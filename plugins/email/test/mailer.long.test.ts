import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { loopbackCertificate } from '@srv/test-servers';
import { startSmtp } from '@srv/test-servers/smtp';
import { Mailer } from '../src/server/mailer.js';
import { SendLimit } from '../src/server/send-limit.js';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { SmtpOptions } from '@srv/test-servers/smtp';
import type { MailerOptions } from '../src/server/mailer.js';

const account = { user: 'sender', pass: 'a password for tests' };
const message = { to: ['ann@example.com'], subject: 'Hello', text: 'as text', html: '<p>as HTML</p>' };
const defaults = { host: '127.0.0.1', ssl: false, localName: 'here', sender: 'srv@example.com', every: 0, burst: 10, timeoutMs: 2_000 };

async function setUp(t: TestContext, smtp: SmtpOptions, options: Partial<MailerOptions>) {
  const server = await startSmtp(smtp);
  const mailer = new Mailer({ ...defaults, port: Number(new URL(server.url).port), ...options });
  t.after(async () => {
    mailer.close();
    await server.close();
  });
  return { server, mailer };
}

/** A host that answers as instructed. */
async function silentHost(t: TestContext, greet: (line: string) => string | undefined): Promise<number> {
  const server = createServer(socket => {
    const say = (line: string): void => {
      const answer = greet(line);
      if (answer !== undefined) socket.write(`${answer}\r\n`);
    };
    socket.on('error', () => undefined);
    say('');
    socket.on('data', data => say(data.toString()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe('mail', () => {
  it('goes out over SSL and over STARTTLS, as text and as HTML', async t => {
    for (const encryption of ['ssl', 'starttls'] as const) {
      const { server, mailer } = await setUp(t, { encryption }, { ssl: encryption === 'ssl', account, ca: loopbackCertificate.cert });
      assert.deepEqual(await mailer.send(message), { accepted: true });
      const [mail] = server.received;
      assert.deepEqual([mail?.from, mail?.to], ['srv@example.com', ['ann@example.com']]);
      assert.match(mail?.raw ?? '', /multipart\/alternative[\s\S]*text\/plain[\s\S]*as text[\s\S]*text\/html[\s\S]*<p>as HTML<\/p>/);
    }
  });

  it('never carries a password in clear text', async t => {
    const { server, mailer } = await setUp(t, { encryption: 'none' }, { account });
    await assert.rejects(mailer.send(message), { code: 'unsupported', message: /correct email\.use_ssl and email\.smtp_port/ });
    assert.equal(server.received.length, 0);
  });

  it('needs no account where the host wants none', async t => {
    const { server, mailer } = await setUp(t, { open: true }, {});
    await mailer.send(message);
    assert.equal(server.received.length, 1);
  });

  it('does not go to a host whose certificate is not trusted', async t => {
    for (const encryption of ['ssl', 'starttls'] as const) {
      const { server, mailer } = await setUp(t, { encryption, open: true }, { ssl: encryption === 'ssl' });
      await assert.rejects(mailer.send(message), { code: 'unsupported', message: /certificate must be trusted/ });
      assert.equal(server.received.length, 0);
    }
  });

  it('fails with a sentence that names the host and not the password', async t => {
    const { mailer } = await setUp(
      t,
      { encryption: 'starttls' },
      { account: { ...account, pass: 'wrong secret' }, ca: loopbackCertificate.cert },
    );
    await assert.rejects(mailer.send(message), (error: Error) => {
      assert.match(error.message, /^mail not sent: 127\.0\.0\.1:\d+: .*: correct email\.username and email\.password$/);
      assert.doesNotMatch(error.message, /wrong secret|d3Jvbmcgc2VjcmV0/);
      return true;
    });
    const { mailer: refused } = await setUp(t, { open: true, refuses: () => true }, {});
    await assert.rejects(refused.send(message), {
      code: 'invalid',
      message: /: refused a message to ann@example\.com: 550 no such mailbox$/,
    });
    const closed = new Mailer({ ...defaults, port: 1 });
    await assert.rejects(closed.send(message), { code: 'unavailable', message: /ECONNREFUSED/ });
  });

  it('gives up on a host that is silent or talks nonsense', async t => {
    for (const greet of [() => undefined, () => 'HTTP/1.1 200 OK', (line: string) => (line === '' ? '220 hi' : undefined)]) {
      const mailer = new Mailer({ ...defaults, timeoutMs: 100, port: await silentHost(t, greet) });
      await assert.rejects(mailer.send(message), { code: 'unavailable' });
    }
  });

  it('cannot be given further headers or recipients', async t => {
    const { server, mailer } = await setUp(t, { open: true }, {});
    await mailer.send({ ...message, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nbody' });
    const [mail] = server.received;
    assert.deepEqual(mail?.to, ['ann@example.com']);
    assert.doesNotMatch(mail?.raw ?? '', /^Bcc/m);
  });

  it('is refused for good with the text of the host, as one line of limited length', async t => {
    const text = `spam\u0007 ${'x'.repeat(500)}`;
    const { mailer } = await setUp(t, { open: true, refusesData: { responseCode: 554, text } }, {});
    await assert.rejects(mailer.send(message), (error: Error & { code: string }) => {
      assert.equal(error.code, 'invalid');
      assert.match(error.message, /^mail not sent: \S+ refused a message to ann@example\.com: 554 spam x{180,200}…$/);
      return true;
    });
    const { mailer: later } = await setUp(t, { open: true, refusesData: { responseCode: 451, text: 'later' } }, {});
    await assert.rejects(later.send(message), { code: 'unavailable', message: /451 later/ });
  });

  it('that the host does not take leaves the limit to others', async t => {
    const { mailer, server } = await setUp(
      t,
      { open: true, refuses: address => address.startsWith('typo') },
      { every: 3_600_000, burst: 1 },
    );
    for (let n = 0; n < 3; n++) await assert.rejects(mailer.send({ ...message, to: ['typo@example.com'] }), { code: 'invalid' });
    await mailer.send(message);
    await assert.rejects(mailer.send(message), { code: 'too_many_tries' });
    assert.equal(server.received.length, 1);
    const closed = new Mailer({ ...defaults, port: 1, every: 3_600_000, burst: 1 });
    for (let n = 0; n < 3; n++) await assert.rejects(closed.send(message), { code: 'unavailable' });
  });

  it('counts when the connection ends without a response to the message', async t => {
    const port = await silentHost(t, line =>
      line === '' ? '220 hi' : /^DATA/i.test(line) ? '354 go' : /^(?:EHLO|HELO|MAIL|RCPT)/i.test(line) ? '250 ok' : undefined,
    );
    const mailer = new Mailer({ ...defaults, timeoutMs: 100, port, every: 3_600_000, burst: 1 });
    await assert.rejects(mailer.send(message), { code: 'unavailable' });
    await assert.rejects(mailer.send(message), { code: 'too_many_tries' });
  });

  it('goes out no more often than its owner allows', async t => {
    const { server, mailer } = await setUp(t, { open: true }, { every: 3_600_000, burst: 2 });
    await mailer.send(message);
    await mailer.send(message);
    await assert.rejects(mailer.send(message), { code: 'too_many_tries', message: /rate limit exceeded/ });
    assert.equal(server.received.length, 2);
  });
});

describe('the limit', () => {
  it('refills at its rate, up to the burst', () => {
    let now = 0;
    const limit = new SendLimit({ every: 1000, burst: 3, now: () => now });
    const takes = (): number => {
      let taken = 0;
      while (limit.take()) taken++;
      return taken;
    };
    assert.equal(takes(), 3);
    now += 999;
    assert.equal(takes(), 0);
    now += 1;
    assert.equal(takes(), 1);
    now += 60_000;
    assert.equal(takes(), 3);
  });

  it('takes back what was not used, up to the burst', () => {
    const limit = new SendLimit({ every: 1000, burst: 2, now: () => 0 });
    limit.giveBack();
    assert.deepEqual([limit.take(), limit.take(), limit.take()], [true, true, false]);
    limit.giveBack();
    assert.deepEqual([limit.take(), limit.take()], [true, false]);
  });

  it('of no time lets everything through, of no burst nothing', () => {
    const free = new SendLimit({ every: 0, burst: 1 });
    assert.ok(Array.from({ length: 100 }, () => free.take()).every(Boolean));
    assert.equal(new SendLimit({ every: 0, burst: 0 }).take(), false);
  });
});
