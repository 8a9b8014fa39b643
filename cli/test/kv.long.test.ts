/** `srv kv`, on an installation made by hand. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { messageOf } from '@srv/kernel';
import { installation } from './installation.js';
import { run, startServer } from './programs.js';

const srvIn = (home: string) => (args: readonly string[], input?: string) =>
  run('srv', [...args, '-c', join(home, 'srv.yaml')], home, input === undefined ? {} : { input });

interface Line {
  readonly key: string;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly value?: string;
}
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line);

describe('srv kv', () => {
  it('shows records by name and without secrets, and carries them to another installation', async () => {
    const home = installation('internal');
    const srv = srvIn(home);
    const made = await srv(['setup', '--user-name', 'ann', '--access-key-id', 'AKIA1', '--secret-access-key', 'very-secret']);
    assert.equal(made.code, 0, made.stderr);

    const users = linesOf((await srv(['kv', 'scan', 'auth', '--prefix', 'users/'])).stdout);
    assert.deepEqual(
      users.map(({ key, record }) => [key, record?.['username']]),
      [['users/ann', 'ann']],
    );
    const all = await srv(['kv', 'scan', 'auth']);
    assert.ok(linesOf(all.stdout).every(({ record }) => record !== undefined));
    const [credential] = linesOf((await srv(['kv', 'scan', 'auth', '--prefix', 'uCredentials/'])).stdout);
    assert.deepEqual(Object.keys(credential?.record ?? {}).sort(), ['accessKeyId', 'issuedAt', 'username']);
    const raw = linesOf((await srv(['kv', 'scan', 'auth', '--prefix', 'groups/', '--limit', '2', '--raw'])).stdout);
    assert.equal(raw.length, 2);
    assert.ok(raw.every(({ value, record }) => value !== undefined && record === undefined));

    assert.deepEqual(await srv(['kv', 'version']).then(r => [r.code, r.stdout]), [0, 'schema version 4, this release reads 4: current\n']);
    const file = join(home, 'dump.json');
    const dumped = await srv(['kv', 'dump', '-o', file]);
    assert.match(dumped.stderr, /^\d+ records written\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await srv(['kv', 'dump', '-o', file])).code, 1, 'an existing file stays');
    assert.ok(!readFileSync(file, 'utf8').includes('very-secret'));

    const other = installation('internal');
    const elsewhere = srvIn(other);
    assert.match((await elsewhere(['kv', 'version'])).stdout, /^not set up/);
    assert.match((await elsewhere(['kv', 'load', file])).stderr, /^\d+ records written, 0 skipped\n$/);
    assert.match((await elsewhere(['kv', 'load', '-'], readFileSync(file, 'utf8'))).stderr, /^0 records written, \d+ skipped\n$/);
    assert.match((await elsewhere(['kv', 'load', file, '--strategy', 'overwrite'])).stderr, /^\d+ records written, 0 skipped\n$/);
    const server = await startServer(other, ['-c', join(other, 'srv.yaml')]);
    try {
      const env = {
        CLI_SERVER_ENDPOINT_URL: server.url,
        CLI_CREDENTIALS_ACCESS_KEY_ID: 'AKIA1',
        CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'very-secret',
      };
      const repository = ['repo', 'create', 'srv://example', 'local://example'];
      assert.equal((await run('cli', repository, other, { env })).code, 0);
      const upload = ['fs', 'upload', 'srv://example/main/a', '-s', file];
      assert.equal((await run('cli', upload, other, { env })).code, 0);
    } finally {
      server.signal('SIGINT');
      await server.ended;
    }
    const [repository] = linesOf((await elsewhere(['kv', 'scan', 'graveler'])).stdout);
    assert.equal(repository?.record?.['storageNamespace'], 'local://example');
    const partition = `example-${String(repository?.record?.['instanceUid'])}`;
    const [branch] = linesOf((await elsewhere(['kv', 'scan', partition, '--prefix', 'branches/'])).stdout);
    const [staged] = linesOf((await elsewhere(['kv', 'scan', String(branch?.record?.['stagingToken'])])).stdout);
    assert.equal(staged?.key, 'a');
    assert.equal(staged?.record?.['size'], statSync(file).size);
    await server.remove();
  });

  it('brings access keys of another program, which work from the next start on', async () => {
    const [home, other] = [installation('internal'), installation('internal')];
    const key = { id: 'AKIA2', secret: 'very-secret' };
    await srvIn(home)(['setup', '--user-name', 'bob', '--access-key-id', key.id, '--secret-access-key', key.secret]);
    const { entries, ...rest } = JSON.parse((await srvIn(home)(['kv', 'dump', '-o', '-'])).stdout) as { entries: { key: string }[] };
    // Other programs do not write where a key leads to.
    const file = join(home, 'other.json');
    writeFileSync(file, JSON.stringify({ ...rest, entries: entries.filter(entry => !entry.key.startsWith('accessKeyOwners')) }));
    const srv = srvIn(other);
    await srv(['setup', '--user-name', 'ann', '--access-key-id', 'AKIA1', '--secret-access-key', 'very-secret']);
    assert.match((await srv(['kv', 'load', file])).stderr, /^\d+ records written/);
    const server = await startServer(other, ['-c', join(other, 'srv.yaml')]);
    try {
      const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
      const response = await fetch(`${server.url}/api/v1/user`, { headers: { authorization } });
      assert.equal(((await response.json()) as { user?: { id: string } }).user?.id, 'bob');
    } finally {
      server.signal('SIGINT');
      await server.ended;
    }
    await server.remove();
  });

  it('rejects files that are not dumps, and writes none of their records', async () => {
    const home = installation();
    const srv = srvIn(home);
    const record = { partition: 'auth', key: 'k', value: 'AAAA' };
    const bad: readonly (readonly [string, RegExp])[] = [
      ['{', /is not a dump of key-value records: .*JSON/],
      ['{"version":"2.0","entries":[]}', /its version is "2\.0", not "1\.0"/],
      ['{"version":"1.0"}', /it has no list "entries"/],
      [JSON.stringify({ version: '1.0', entries: [record, { ...record, value: '*' }] }), /the value of entry 2 \(auth k\) is not base64/],
      [JSON.stringify({ version: '1.0', entries: [record, { partition: 'auth', value: '' }] }), /entry 2 has no partition and key/],
    ];
    for (const [content, complaint] of bad) {
      writeFileSync(join(home, 'bad.json'), content);
      const { code, stderr } = await srv(['kv', 'load', join(home, 'bad.json')]);
      assert.equal(code, 1);
      assert.match(stderr, complaint);
    }
    const missing = join(home, 'none', 'x');
    const places: readonly (readonly [readonly string[], string])[] = [
      [['load', missing], `srv: stat ${missing}: no such file or directory`],
      [['load', home], `srv: ${home} is not a dump of key-value records: it is a folder`],
      [['dump', '-o', missing], `srv: open ${missing}: no such file or directory`],
      [['dump', '-o', join(home, 'bad.json')], `srv: open ${join(home, 'bad.json')}: file exists`],
    ];
    for (const [words, complaint] of places) {
      const { code, stderr } = await srv(['kv', ...words]);
      assert.deepEqual([code, stderr.trim()], [1, complaint]);
    }
    assert.equal((await srv(['kv', 'scan', 'auth'])).stdout, '');
    assert.match((await srv(['kv', 'dump', '--sections', 'auth,users'])).stderr, /section "users" is not one of auth, pulls, kv/);
  });

  it('a database of another schema version is rejected by the server and reported by kv version', async () => {
    for (const [version, complaint] of [
      ['3', /migration required/],
      ['5', /incompatible/],
      ['x', /incompatible/],
    ] as const) {
      const home = installation();
      const srv = srvIn(home);
      const entry = { partition: 'kv-internal-metadata', key: 'kv/schema/version', value: Buffer.from(version).toString('base64') };
      await srv(['kv', 'load', '-'], JSON.stringify({ version: '1.0', entries: [entry] }));
      const told = await srv(['kv', 'version']);
      assert.equal(told.code, 1);
      assert.match(told.stdout, complaint);
      const started = await srv(['run']);
      assert.equal(started.code, 1);
      assert.match(started.stderr, complaint);
    }
  });
});

describe('srv kv repair', () => {
  it('says what is damaged and lost, repairs with --yes, and the server refuses to start before', async () => {
    const home = installation('internal');
    const srv = srvIn(home);
    const made = await srv(['setup', '--user-name', 'ann', '--access-key-id', 'AKIA1', '--secret-access-key', 'very-secret']);
    assert.equal(made.code, 0, made.stderr);
    const users = (await srv(['kv', 'scan', 'auth', '--prefix', 'users/'])).stdout;
    assert.deepEqual(await srv(['kv', 'repair']).then(r => [r.code, r.stdout.trim().split('\n').at(-1)]), [0, 'Nothing to repair.']);

    const folder = join(home, 'kv');
    rmSync(join(folder, 'CURRENT'));
    const refused = await srv(['run']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /the file CURRENT is missing.*srv kv repair/);
    const looked = await srv(['kv', 'repair']);
    assert.equal(looked.code, 1);
    assert.match(looked.stdout, /records in \d+ partitions can be read and are kept\nNothing has been changed/);
    const repaired = await srv(['kv', 'repair', '--yes']);
    assert.deepEqual([repaired.code, repaired.stderr], [0, '']);
    assert.match(repaired.stdout, /Repaired\. The damaged files are kept in .*before-repair-/);
    assert.equal((await srv(['kv', 'scan', 'auth', '--prefix', 'users/'])).stdout, users);
  });
});

describe('srv run --strict', () => {
  it('refuses an embedded database that has lost records, which a start without it reports', async () => {
    const home = installation('internal');
    const srv = srvIn(home);
    const made = await srv(['setup', '--user-name', 'ann', '--access-key-id', 'AKIA1', '--secret-access-key', 'very-secret']);
    assert.equal(made.code, 0, made.stderr);
    const folder = join(home, 'kv');
    const [name = '', ...others] = readdirSync(folder).filter(file => file.endsWith('.log'));
    assert.ok(name !== '' && others.length === 0);
    const log = join(folder, name);
    const damaged = readFileSync(log);
    // In the first of many records.
    damaged.writeUInt8(damaged.readUInt8(10) ^ 0x55, 10);
    writeFileSync(log, damaged);

    const strict = ['-c', join(home, 'srv.yaml'), '--strict'];
    assert.match(
      await refusalOf(home, strict),
      new RegExp(`database\\.local\\.path: ${folder} has lost records \\(${name}: .*or start without --strict`),
    );
    assert.equal((await run('srv', ['run', ...strict], home)).code, 1);
    assert.ok(readFileSync(log).equals(damaged), 'a refused start changes nothing');

    const server = await startServer(home, ['-c', join(home, 'srv.yaml')]);
    server.signal('SIGINT');
    const { code, stdout } = await server.ended;
    assert.equal(code, 0);
    assert.match(stdout, /the embedded database has lost records: restore a backup, or compare the data with what is expected/);

    assert.match(
      await refusalOf(home, strict),
      new RegExp(`lost records at an earlier start without --strict.*\\(${name}\\) in ${folder}/lost`),
    );
  });
});

/** What a server that does not start prints. */
function refusalOf(home: string, args: readonly string[]): Promise<string> {
  return startServer(home, args).then(async server => {
    await server.remove();
    return assert.fail(`srv run ${args.join(' ')} starts`);
  }, messageOf);
}
