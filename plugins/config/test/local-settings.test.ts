import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { parse } from 'yaml';
import { generateKeyPair } from '../src/server/credentials.js';
import { localSettings } from '../src/server/local-settings.js';
import { createPrivateFile, replacePrivateFile } from '../src/server/private-file.js';
import { contextOf } from './context.js';
import type { ConfigEntry, SourceContext } from '@srv/kernel';

const rawOf = (entries: readonly ConfigEntry[], name: string): unknown => entries.findLast(({ key }) => key === name)?.raw;
const byName = (a: string, b: string): number => a.localeCompare(b);
const mode = (path: string): number => statSync(path).mode & 0o777;
const local = (context: SourceContext, stronger: readonly ConfigEntry[] = [], create = true) => localSettings(context, stronger, create);

test('the first run makes secrets, the second finds them', () => {
  const context = contextOf();
  const first = local(context);
  assert.equal(first.local?.created, true);
  assert.equal(first.local.folder, join(context.home, 'srv'));
  assert.equal(rawOf(first.entries, 'database.type'), 'local');
  assert.equal(rawOf(first.entries, 'blockstore.type'), 'local');
  assert.equal(rawOf(first.entries, 'installation.user_name'), 'admin');
  assert.match(first.local.accessKeyId, /^AKIAJ[A-Z2-7]{14}Q$/);
  assert.equal(Buffer.from(first.local.secretAccessKey, 'base64').length, 30);
  const second = local(context);
  assert.equal(second.local?.created, false);
  assert.deepEqual(second.entries, first.entries);
  for (const name of ['settings.yaml', 'cli.yaml']) assert.equal(mode(join(first.local.folder, name)), 0o600);
  assert.deepEqual(readdirSync(first.local.folder).sort(), ['cli.yaml', 'settings.yaml'], 'no temporary file is left');
});

test('the command-line configuration names the credentials and the address of this server', () => {
  const context = contextOf();
  const { local: made } = local(context, [{ key: 'listen_address', raw: '127.0.0.1:9001', source: 'x' }]);
  assert.ok(made);
  const read = (): unknown => parse(readFileSync(made.cliFile, 'utf8'));
  const credentials = { access_key_id: made.accessKeyId, secret_access_key: made.secretAccessKey };
  assert.deepEqual(read(), { credentials, server: { endpoint_url: 'http://127.0.0.1:9001' } });
  made.setEndpoint('http://127.0.0.1:9002');
  assert.deepEqual(read(), { credentials, server: { endpoint_url: 'http://127.0.0.1:9002' } });
  assert.equal(mode(made.cliFile), 0o600);
});

test('a host in cli.yaml that only its writer knows stays; one of this machine follows the server, localhost its port', () => {
  const { local: made } = local(contextOf());
  assert.ok(made);
  const listens = (named: string, at: string): unknown => {
    writeFileSync(made.cliFile, `server.endpoint_url: ${named} # ours\n`);
    made.setEndpoint(at);
    return parse(readFileSync(made.cliFile, 'utf8'));
  };
  const named = (url: string) => ({ 'server.endpoint_url': url });
  assert.deepEqual(listens('https://lakes.example:8443', 'https://127.0.0.1:8443'), named('https://lakes.example:8443'));
  assert.deepEqual(listens('https://10.0.0.7', 'https://127.0.0.1:8443'), named('https://10.0.0.7'));
  assert.deepEqual(listens('http://10.0.0.7:8000', 'https://10.0.0.7:8443'), named('https://10.0.0.7:8443'));
  assert.deepEqual(listens('http://127.0.0.1:8000', 'https://10.0.0.7:8443'), named('https://10.0.0.7:8443'));
  assert.deepEqual(listens('http://localhost:8000', 'https://127.0.0.1:8443'), named('https://localhost:8443'));
  assert.deepEqual(listens('http://localhost:8000', 'http://10.0.0.7:8000'), named('http://10.0.0.7:8000'));
  assert.deepEqual(listens('lakes', 'http://127.0.0.1:8000'), named('http://127.0.0.1:8000'));
});

test('a shared database gets no credentials, which its server would not create; its own database still does, later', () => {
  const context = contextOf();
  const postgres = [{ key: 'database.type', raw: 'postgres', source: 'x' }];
  const shared = local(context, postgres);
  assert.ok(shared.local);
  assert.deepEqual([shared.local.accessKeyId, shared.local.secretAccessKey], ['', '']);
  assert.equal(rawOf(shared.entries, 'installation.user_name'), undefined);
  assert.ok(rawOf(shared.entries, 'auth.encrypt.secret_key'));
  assert.equal(existsSync(shared.local.cliFile), false);
  shared.local.setEndpoint('http://127.0.0.1:9002');
  assert.equal(existsSync(shared.local.cliFile), false);
  const own = local(context);
  assert.match(own.local?.accessKeyId ?? '', /^AKIAJ/);
  assert.equal(existsSync(shared.local.cliFile), true);
});

test('the data folder follows database.local.path', () => {
  const folder = scratchFolder();
  const { local: made } = local(contextOf(), [{ key: 'database.local.path', raw: join(folder, 'data', 'kv'), source: 'x' }]);
  assert.equal(made?.folder, join(folder, 'data'));
});

test('nothing is written while only plugins.* are known, nor while a run only reads', () => {
  const narrow = contextOf({ keys: {} });
  assert.deepEqual(
    local(narrow).entries.map(({ key }) => key),
    ['database.type', 'blockstore.type'],
  );
  const readOnly = contextOf();
  assert.ok(rawOf(local(readOnly, [], false).entries, 'auth.encrypt.secret_key'));
  for (const { home } of [narrow, readOnly]) assert.equal(existsSync(join(home, 'srv')), false);
});

test('a folder that cannot be written is named', () => {
  const context = contextOf();
  writeFileSync(join(context.home, 'srv'), 'a file where the folder should be');
  assert.throws(() => local(context), { code: 'config', message: /^data folder .*\/srv: .*SRV_DATABASE_LOCAL_PATH$/ });
});

test('quickstart has fixed credentials and refuses others', () => {
  const flags = { quickstart: true };
  assert.equal(local(contextOf({ flags })).local?.accessKeyId, 'AKIAIOSFOLQUICKSTART');
  const postgres = [{ key: 'database.type', raw: 'postgres', source: 'x' }];
  assert.throws(() => local(contextOf({ flags }), postgres), {
    message: /^database\.type: quickstart mode can only run with local settings/,
  });
  const user = [{ key: 'installation.user_name', raw: 'me', source: 'x' }];
  assert.throws(() => local(contextOf({ flags }), user), { message: /installation parameters must not be changed in quickstart mode/ });
  const home = scratchFolder();
  local(contextOf({ home }));
  assert.throws(() => local(contextOf({ home, flags })), { message: /belongs to an installation with other credentials/ });
});

test('of two creators one wins and the file stays whole', () => {
  const path = join(scratchFolder(), 'deep', 'secret');
  assert.deepEqual([createPrivateFile(path, 'one'), createPrivateFile(path, 'two')], [true, false]);
  assert.equal(readFileSync(path, 'utf8'), 'one');
});

test('a private file with a long name is created and replaced', () => {
  const folder = scratchFolder();
  for (const name of ['a'.repeat(255), '数'.repeat(85)]) {
    const path = join(folder, name);
    assert.equal(createPrivateFile(path, 'one'), true);
    replacePrivateFile(path, 'two');
    assert.deepEqual([readFileSync(path, 'utf8'), mode(path)], ['two', 0o600]);
    rmSync(path);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('a symbolic link to a private file stays, also where the file does not exist yet', () => {
  const folder = scratchFolder();
  const managed = join(folder, 'managed');
  mkdirSync(managed);
  for (const [name, target] of [
    ['absolute', join(managed, 'a.yaml')],
    ['relative', join('managed', 'b.yaml')],
    ['chained', 'relative'],
    ['new-folder', join('managed', 'later', 'c.yaml')],
  ] as const) {
    const path = join(folder, name);
    symlinkSync(target, path);
    replacePrivateFile(path, 'one');
    replacePrivateFile(path, 'two');
    assert.equal(createPrivateFile(path, 'three'), false);
    assert.deepEqual([readFileSync(path, 'utf8'), mode(path), readlinkSync(path)], ['two', 0o600, target]);
  }
  const fresh = join(folder, 'fresh');
  symlinkSync(join('managed', 'd.yaml'), fresh);
  assert.equal(createPrivateFile(fresh, 'one'), true);
  assert.equal(readFileSync(join(managed, 'd.yaml'), 'utf8'), 'one');
  assert.deepEqual(readdirSync(managed).sort(byName), ['a.yaml', 'b.yaml', 'd.yaml', 'later']);
  symlinkSync('loop', join(folder, 'loop'));
  assert.throws(() => replacePrivateFile(join(folder, 'loop'), 'one'), { code: 'ELOOP' });
});

test('a directory, a socket, or a link to one is not replaced by a private file', async t => {
  const folder = scratchFolder();
  const [inner, socket, link] = [join(folder, 'inner'), join(folder, 'socket'), join(folder, 'link')];
  mkdirSync(inner);
  const server = createServer().listen(socket);
  t.after(() => server.close());
  await once(server, 'listening');
  symlinkSync('socket', link);
  for (const path of [inner, socket, link])
    assert.throws(() => replacePrivateFile(path, 'one'), {
      message: `${path} is not a regular file, so it cannot be replaced; name another file`,
    });
  assert.deepEqual(readdirSync(folder).sort(byName), ['inner', 'link', 'socket']);
  assert.ok(statSync(socket, { bigint: true }).isSocket());
});

test('key pairs differ', () => {
  assert.notDeepEqual(generateKeyPair(), generateKeyPair());
});
