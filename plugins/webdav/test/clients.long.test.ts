/** Programs that speak WebDAV: litmus, davfs2, rclone, cadaver; and what Finder, Windows and office programs were seen to send. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { faceKey } from '@srv/lib-api/testing';
import { lockPath, startDav } from './support/server.js';
import type { TestContext } from 'node:test';
import type { DavServer } from './support/server.js';

const run = promisify(execFile);
let server: DavServer;
let folder: string;

before(async () => {
  server = await startDav();
  folder = join(server.home, 'files');
  mkdirSync(folder);
});
after(() => server.stop());

const found = async (program: string): Promise<boolean> =>
  run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

const programs = { rclone: 'rclone', cadaver: 'cadaver' };
const litmusFolder = '/usr/libexec/litmus';
const hasLitmus = existsSync(litmusFolder);

describe('litmus', { skip: hasLitmus ? false : 'needs litmus' }, () => {
  for (const [suite, tests] of Object.entries({ basic: 16, copymove: 13, props: 30, locks: 41, http: 4 })) {
    test(`passes all ${tests} tests of ${suite}`, async () => {
      const { accessKeyId, secretAccessKey } = faceKey;
      const { stdout } = await run('litmus', ['-k', `${server.url}/dav/repo/main/`, accessKeyId, secretAccessKey], {
        cwd: folder,
        env: { ...process.env, TESTROOT: litmusFolder, HTDOCS: '/usr/share/litmus/htdocs', TESTS: suite },
      }).catch((error: { stdout?: string }) => ({ stdout: String(error.stdout ?? error) }));
      assert.match(stdout, new RegExp(`of ${tests} tests run: ${tests} passed, 0 failed`), stdout);
      assert.doesNotMatch(stdout, /WARNING/);
    });
  }
});

/** Whether the system lets this process mount a file system of FUSE: no package can be installed that changes that. */
function mayMount(): boolean {
  if (!existsSync('/dev/fuse')) return false;
  const [, capabilities = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const mayAdministrate = 1n << 21n;
  return (BigInt(`0x${capabilities}`) & mayAdministrate) !== 0n;
}

if (mayMount()) test('davfs2 mounts a branch, whose files are written, read, renamed and removed', mountBranch);

async function mountBranch(t: TestContext): Promise<void> {
  if (!(await found('mount.davfs'))) {
    t.skip('needs davfs2');
    return;
  }
  const [mount, cache, secrets, settings] = ['mount', 'cache', 'secrets', 'davfs2.conf'].map(name => join(folder, name));
  for (const name of [mount, cache]) mkdirSync(name ?? '');
  // It keeps its cache as a user of its own.
  for (const name of [server.home, folder]) chmodSync(name, 0o711);
  chmodSync(cache ?? '', 0o777);
  writeFileSync(secrets ?? '', `${mount} ${faceKey.accessKeyId} ${faceKey.secretAccessKey}\n`, { mode: 0o600 });
  writeFileSync(settings ?? '', `secrets ${secrets}\ncache_dir ${cache}\nask_auth 0\ndelay_upload 0\n`, { mode: 0o600 });
  // Names of other characters are those of its locale.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await run('mount', ['-t', 'davfs', '-o', `conf=${settings}`, `${server.url}/dav/repo/dev/`, mount ?? ''], { env });
  t.after(() => run('umount', ['-l', mount ?? '']).catch(() => undefined));
  // In a process of its own: this one answers what the mount asks. Folders are not listed: on some kernels the program cannot.
  const shell = async (script: string): Promise<string> => (await run('sh', ['-ec', script], { cwd: mount, timeout: 60_000 })).stdout;
  await shell('mkdir lakes; printf one > lakes/a.txt; printf two > "lakes/b ä.txt"; head -c 3000000 /dev/zero > zeros');
  assert.equal(await shell('cat lakes/a.txt "lakes/b ä.txt"; stat -c %s zeros'), 'onetwo3000000\n');
  await shell('printf three >> lakes/a.txt; mv "lakes/b ä.txt" c.txt; cp lakes/a.txt lakes/d.txt; rm zeros');
  // It waits until everything is stored.
  await run('umount', [mount ?? ''], { timeout: 120_000 });
  const { results } = await server.engine.list('repo', 'dev');
  const names = results.map(({ path }) => path);
  for (const [path, content] of [
    ['c.txt', 'two'],
    ['lakes/a.txt', 'onethree'],
    ['lakes/d.txt', 'onethree'],
  ] as const)
    assert.equal((await server.dav('GET', `/repo/dev/${path}`)).body, content, names.join());
  assert.ok(!names.includes('zeros') && !names.includes('lakes/b ä.txt'), names.join());
}

test('rclone copies, lists, moves, syncs and removes a tree, and large files come back unchanged', async t => {
  if (!(await found('rclone'))) return t.skip('needs rclone');
  const password = (await run('rclone', ['obscure', faceKey.secretAccessKey])).stdout.trim();
  const env = {
    ...process.env,
    HOME: folder,
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_SRV_TYPE: 'webdav',
    RCLONE_CONFIG_SRV_URL: `${server.url}/dav/repo/dev`,
    RCLONE_CONFIG_SRV_VENDOR: 'other',
    RCLONE_CONFIG_SRV_USER: faceKey.accessKeyId,
    RCLONE_CONFIG_SRV_PASS: password,
  };
  const rclone = async (...args: readonly string[]): Promise<string> =>
    (await run('rclone', [...args], { env, maxBuffer: 1 << 24 })).stdout;
  const tree = join(folder, 'tree');
  const names = ['plain.txt', 'with space', 'ä ö.txt', 'sub/deep/100% #1 & co', "it's (here)!", 'empty'];
  for (const name of names) {
    mkdirSync(join(tree, name, '..'), { recursive: true });
    writeFileSync(join(tree, name), name === 'empty' ? '' : `content of ${name}`);
  }
  await rclone('copy', tree, 'srv:tree');
  assert.deepEqual((await rclone('lsf', '-R', '--files-only', 'srv:tree')).trim().split('\n').sort(), [...names].sort());
  await rclone('check', '--download', tree, 'srv:tree');
  await rclone('moveto', 'srv:tree/plain.txt', 'srv:tree/renamed.txt');
  await rclone('move', 'srv:tree/sub', 'srv:moved');
  await rclone('copyto', 'srv:tree/renamed.txt', 'srv:copied.txt');
  assert.equal(await rclone('cat', 'srv:copied.txt'), 'content of plain.txt');
  assert.match(await rclone('lsf', '-R', 'srv:moved'), /^deep\/100% #1 & co$/m);
  await rclone('sync', tree, 'srv:tree');
  await rclone('check', '--download', tree, 'srv:tree');
  await rclone('purge', 'srv:tree');
  assert.doesNotMatch(await rclone('lsf', 'srv:'), /^tree/m);
  assert.match(await rclone('about', 'srv:'), /Free/);

  const bytes = randomBytes(20_000_000);
  writeFileSync(join(folder, 'large'), bytes);
  await rclone('copyto', join(folder, 'large'), 'srv:large');
  const upload = spawn(programs.rclone, ['rcat', 'srv:streamed'], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  upload.stdin.end(bytes);
  await new Promise(resolve => upload.once('exit', resolve));
  for (const name of ['large', 'streamed']) {
    await rclone('copyto', `srv:${name}`, join(folder, `${name}.back`));
    assert.ok(readFileSync(join(folder, `${name}.back`)).equals(bytes), name);
  }
});

test('cadaver lists, writes, copies, locks and removes', async t => {
  if (!(await found('cadaver'))) return t.skip('needs cadaver');
  const { accessKeyId, secretAccessKey } = faceKey;
  writeFileSync(join(folder, '.netrc'), `machine 127.0.0.1 login ${accessKeyId} password ${secretAccessKey}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'note.txt'), 'a note');
  const commands = [
    'mkcol cadaver',
    'cd cadaver',
    'put note.txt',
    'copy note.txt copy.txt',
    'move copy.txt moved.txt',
    'lock moved.txt',
    'discover moved.txt',
    'unlock moved.txt',
    'propset note.txt colour red',
    'propget note.txt colour',
    'ls',
    'get moved.txt back.txt',
    'delete note.txt',
    'cd ..',
    'rmcol cadaver',
    'ls',
    'quit',
  ];
  const child = spawn(programs.cadaver, [`${server.url}/dav/repo/main/`], { cwd: folder, env: { ...process.env, HOME: folder } });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  child.stdin.end(`${commands.join('\n')}\n`);
  await new Promise(resolve => child.once('close', resolve));
  assert.doesNotMatch(output, /failed|Could not/i, output);
  assert.match(output, /moved\.txt/);
  assert.match(output, /red/);
  assert.equal(readFileSync(join(folder, 'back.txt'), 'utf8'), 'a note');
});

const send = (...args: Parameters<DavServer['dav']>) => server.dav(...args);

test('Finder writes a file and its resource fork', async () => {
  for (const name of ['document.pdf', '._document.pdf']) {
    const path = `/repo/main/${name}`;
    const body = randomBytes(4096);
    assert.equal((await send('PROPFIND', path, { headers: { depth: '0' } })).status, 404);
    assert.equal((await send('PUT', path, { body: '' })).status, 201);
    const { token, status } = await lockPath(server, path, { headers: { timeout: 'Second-600' } });
    assert.equal(status, 200);
    const headers = { 'transfer-encoding': 'chunked', 'x-expected-entity-length': '4096', if: `(<${token}>)` };
    assert.equal((await send('PUT', path, { headers, body })).status, 204);
    assert.match((await send('PROPFIND', path, { headers: { depth: '0' } })).body, /<D:getcontentlength>4096</);
    assert.equal((await send('UNLOCK', path, { headers: { 'lock-token': `<${token}>` } })).status, 204);
    assert.ok((await send('GET', path)).bytes.equals(body));
  }
  assert.doesNotMatch((await send('PROPFIND', '/repo/main/', { headers: { depth: '1' } })).body, /\._document/);
  for (const name of ['.DS_Store', '._.', '.hidden', '.Spotlight-V100'])
    assert.equal((await send('GET', `/repo/main/${name}`)).status, 404);
});

test('Windows asks for every parent, writes, and sets its times', async () => {
  for (const path of ['', '/', '/repo', '/repo/main'])
    assert.equal((await send('PROPFIND', path, { headers: { depth: '0', translate: 'f' } })).status, 207, path);
  const path = '/repo/main/New%20Text%20Document.txt';
  const { token, status } = await lockPath(server, path, { headers: { timeout: 'Second-3600' } });
  assert.equal(status, 201);
  const owned = { if: `(<${token}>)`, translate: 'f' };
  assert.equal((await send('PUT', path, { headers: owned, body: '' })).status, 204);
  assert.equal((await send('HEAD', path, { headers: { translate: 'f' } })).status, 200);
  assert.equal((await send('PUT', path, { headers: owned, body: 'hello' })).status, 204);
  const times = ['Win32CreationTime', 'Win32LastAccessTime', 'Win32LastModifiedTime', 'Win32FileAttributes']
    .map(name => `<Z:${name}>x</Z:${name}>`)
    .join('');
  const body = `<?xml version="1.0" encoding="utf-8" ?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:schemas-microsoft-com:"><D:set><D:prop>${times}</D:prop></D:set></D:propertyupdate>`;
  const patched = await send('PROPPATCH', path, { headers: owned, body });
  assert.match(patched.body, /200 OK/);
  assert.doesNotMatch(patched.body, /40[0-9]/);
  assert.equal((await send('UNLOCK', path, { headers: { 'lock-token': `<${token}>` } })).status, 204);
  assert.equal(
    (await send('MOVE', path, { headers: { destination: `${server.url}/dav/repo/main/renamed.txt`, overwrite: 'F' } })).status,
    201,
  );
});

test('office programs lock, refresh, write a temporary file and move it over the document', async () => {
  const path = '/repo/main/report.docx';
  await send('PUT', path, { body: 'first' });
  const { token } = await lockPath(server, path);
  assert.equal((await send('LOCK', path, { headers: { if: `(<${token}>)`, timeout: 'Second-180' } })).status, 200);
  assert.equal((await send('PUT', '/repo/main/~$report.docx', { body: 'owner' })).status, 201);
  assert.equal((await send('PUT', '/repo/main/report.tmp', { body: 'second' })).status, 201);
  const over = { destination: `${server.url}/dav${path}` };
  assert.equal((await send('MOVE', '/repo/main/report.tmp', { headers: over })).status, 423);
  assert.equal(
    (await send('MOVE', '/repo/main/report.tmp', { headers: { ...over, if: `<${server.url}/dav${path}> (<${token}>)` } })).status,
    204,
  );
  assert.equal((await send('GET', path)).body, 'second');
  assert.equal((await send('DELETE', '/repo/main/~$report.docx')).status, 204);
});

test('a client that is killed while it writes leaves nothing', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = createConnection(Number(port), hostname);
  const authorization = `Basic ${Buffer.from(`${faceKey.accessKeyId}:${faceKey.secretAccessKey}`).toString('base64')}`;
  socket.write(
    `PUT /dav/repo/main/killed HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 50000000\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [first] = (await new Promise<Buffer[]>(resolve => socket.once('data', (...pieces: Buffer[]) => resolve(pieces)))) ?? [];
  assert.match(String(first), /100 Continue/);
  await new Promise<void>(resolve => socket.write(randomBytes(10_000_000), () => resolve()));
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.destroy();
  await closed;
  // The same server answers once it has seen the end of the connection.
  assert.equal((await send('GET', '/repo/main/killed')).status, 404);
});
