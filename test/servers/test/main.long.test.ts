import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSmtp } from '../src/smtp.js';

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));

test('a server started by name prints its address, and stops when its process is asked to end', async () => {
  const child = spawn(process.execPath, [program, 'smtp'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const told = JSON.parse(line) as { url: string; pid: number; env: Record<string, string> };
  assert.equal(told.pid, child.pid);
  assert.equal(told.env['SRV_EMAIL_SMTP_PORT'], new URL(told.url).port);
  const socket = connect(Number(new URL(told.url).port), '127.0.0.1');
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  assert.match(greeting.toString(), /^220 /);
  socket.destroy();
  process.kill(told.pid, 'SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('an unknown name is answered with those there are', async () => {
  const child = spawn(process.execPath, [program, 'oracle'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 1);
  assert.match(complaint, /^"oracle" is not a test server; there are postgres, /);
});

test('mail is kept, and rejected without the right password', async () => {
  const server = await startSmtp();
  try {
    const auth = (password: string) => `AUTH PLAIN ${Buffer.from(`\0sender\0${password}`).toString('base64')}`;
    const say = async (...lines: string[]): Promise<string> => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
      let heard = '';
      const untilAnswers = async (count: number): Promise<void> => {
        while ((heard.match(/^\d{3} .*\r\n/gm)?.length ?? 0) < count) heard += String((await once(socket, 'data'))[0]);
      };
      await untilAnswers(1);
      for (const [i, line] of ['EHLO test', ...lines, 'QUIT'].entries()) {
        socket.write(`${line}\r\n`);
        await untilAnswers(i + 2);
      }
      socket.destroy();
      return heard;
    };
    assert.match(await say(auth('wrong')), /^535 /m);
    const mail = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA', 'Subject: hello\r\n\r\nbody\r\n.'];
    assert.match(await say(auth('a password for tests'), ...mail), /^250 OK: message queued/m);
    assert.deepEqual(
      server.received.map(({ from, to }) => [from, to]),
      [['a@example.com', ['b@example.com']]],
    );
    assert.match(server.received[0]?.raw ?? '', /^Subject: hello\r\n\r\nbody/);
  } finally {
    await server.close();
  }
});
