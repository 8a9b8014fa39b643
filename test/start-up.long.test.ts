/** Servers that cannot start say why in one line; servers that stop finish what they have begun. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@srv/kernel/testing';
import { filesBelow } from './file-tree.js';
import { Server, launchCli, launchServer, launchSrv, temporaryFolder } from './programs.js';
import type { AddressInfo } from 'node:net';
import type { RunningProcess } from './processes.js';

/** The process must end with 1 and one line on standard error, which is returned. */
async function complaint(launched: RunningProcess): Promise<string> {
  const { code, stderr, stdout } = await launched.finished;
  assert.equal(code, 1, stderr + stdout);
  assert.match(stderr, /^srv: [^\n]+\n$/);
  return stderr;
}

describe('a server that cannot start', () => {
  it('names the port that is taken', async t => {
    const listener = createServer().listen(0, '127.0.0.1');
    t.after(() => listener.close());
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const said = await complaint(launchServer(temporaryFolder(t), `127.0.0.1:${port}`));
    assert.match(said, new RegExp(`127\\.0\\.0\\.1:${port}.*in use.*SRV_LISTEN_ADDRESS`));
  });

  it('names the data folder that cannot be written', async t => {
    const file = join(temporaryFolder(t), 'a file');
    await writeFile(file, '');
    // Below a regular file no user can create a folder, not even root.
    const said = await complaint(launchServer(join(file, 'home')));
    assert.ok(said.includes(file), said);
  });

  it('names the data folder that another server uses, which continues', async t => {
    const home = temporaryFolder(t);
    const first = await Server.start(home);
    t.after(() => first.kill());
    const said = await complaint(launchServer(home));
    assert.ok(said.includes(join(home, 'srv')), said);
    assert.match(said, /another|in use|already/);
    await first.run('repo', 'create', 'srv://still-works', 'local://still-works');
  });

  it('lists every wrong setting', async t => {
    const wrong = { SRV_LOGGING_LEVEL: 'loud', SRV_DATABASE_TYPE: 'parchment' };
    const { code, stderr } = await launchServer(temporaryFolder(t), '127.0.0.1:0', wrong).finished;
    assert.equal(code, 1);
    for (const [variable, value] of Object.entries(wrong)) {
      assert.ok(stderr.includes(variable), `${variable} is not named:\n${stderr}`);
      assert.ok(stderr.includes(value), `${value} is not named:\n${stderr}`);
    }
    assert.doesNotMatch(stderr, /^ +at /m);
  });
});

describe('a server that waits for its database while it starts', () => {
  for (const more of [[], ['--workers', '2']]) {
    it(`ends with 0 after a signal${more.length > 0 ? ', with its workers' : ''}`, async t => {
      // Takes connections and is silent.
      const database = createServer().listen(0, '127.0.0.1');
      t.after(() => database.close());
      await once(database, 'listening');
      const { port } = database.address() as AddressInfo;
      const server = launchSrv(temporaryFolder(t), ['run', '--local-settings', ...more], {
        SRV_LISTEN_ADDRESS: '127.0.0.1:0',
        SRV_DATABASE_TYPE: 'postgres',
        SRV_DATABASE_POSTGRES_CONNECTION_STRING: `postgres://user@127.0.0.1:${port}/a?connect_timeout=1000`,
      });
      t.after(() => server.end('SIGKILL'));
      await once(database, 'connection');
      const { code, stderr } = await server.end('SIGTERM');
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^Shutting down\.\.\.\n$/);
    });
  }
});

describe('a server that stops', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`ends with 0 after ${signal}`, async t => {
      const server = await Server.start(temporaryFolder(t));
      const { code, stderr } = await server.process.end(signal);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Shutting down\.\.\.\n$/);
    });
  }

  it('finishes the upload under way, and keeps it', async t => {
    const home = temporaryFolder(t);
    const server = await Server.start(home);
    t.after(() => server.kill());
    await server.run('repo', 'create', 'srv://drain', 'local://drain');
    const { body, upload } = await slowUpload(server);

    server.process.child.kill('SIGINT');
    await until(() => server.process.stderr.includes('Shutting down'));
    body.end(half);
    await upload;
    const { code, stderr } = await server.process.finished;
    assert.equal(code, 0, stderr);

    const next = await Server.start(home);
    t.after(() => next.kill());
    assert.equal(await next.run('fs', 'cat', 'srv://drain/main/slow'), `${half}${half}`);
  });

  it('ends at once at the second signal', async t => {
    const server = await Server.start(temporaryFolder(t));
    t.after(() => server.kill());
    await server.run('repo', 'create', 'srv://drain', 'local://drain');
    const { body, upload } = await slowUpload(server);
    t.after(() => body.destroy());

    server.process.child.kill('SIGINT');
    await until(() => server.process.stderr.includes('Shutting down'));
    // Signals that follow at once count as one: a package runner doubles what the terminal sends.
    await sleep(500);
    server.process.child.kill('SIGINT');
    await assert.rejects(upload);
    assert.equal((await server.process.finished).code, 1);
  });
});

describe('the command-line tool alone', () => {
  it('helps without server and configuration', async t => {
    const home = temporaryFolder(t);
    const { code, stdout, stderr } = await launchCli(home, '--help').finished;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Usage: cli /);
    assert.equal(stderr, '');
  });

  it('says what to do when nothing is configured, and when no server answers', async t => {
    const home = temporaryFolder(t);
    const unconfigured = await launchCli(home, 'repo', 'list').finished;
    assert.equal(unconfigured.code, 1);
    assert.match(unconfigured.stderr, /run "cli config"/);

    const server = await Server.start(home);
    await server.stop();
    const refused = await server.fails('repo', 'list');
    assert.ok(refused.includes(server.url), refused);
  });
});

/** 1 MiB: more than any buffer on the way holds back. */
const half = 'x'.repeat(1 << 20);

/** An upload of which half has reached the server's disk. */
async function slowUpload(server: Server) {
  const before = new Set(await filesBelow(server.home));
  const body = new PassThrough();
  const upload = server.client().uploadObject({ repository: 'drain', branch: 'main', path: 'slow', body });
  upload.catch(() => undefined);
  body.write(half);
  await until(async () => (await filesBelow(join(server.home, 'srv', 'data'))).some(file => !before.has(join('srv', 'data', file))));
  return { body, upload };
}
