/** `srv doctor`, as operators run it, on installations with one thing wrong. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SrvError } from '@srv/kernel';
import { missingContainer } from '@srv/lib-stores/block';
import { startSmtp } from '@srv/test-servers/smtp';
import { examineNamespace, judgeClock } from '../src/server/block-store.js';
import { Findings, findingsText } from '../src/server/finding.js';
import { greetingOf } from '../src/server/mail.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Finding } from '../src/server/finding.js';

const program = fileURLToPath(new URL('../../../../cli/bin/srv.js', import.meta.url));

interface Outcome {
  readonly code: number;
  readonly findings: readonly Finding[];
}

function srv(home: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home };
    execFile(process.execPath, [program, ...args, '-c', join(home, 'srv.yaml')], { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

async function doctor(home: string, ...args: string[]): Promise<Outcome> {
  const { code, stdout, stderr } = await srv(home, 'doctor', '-o', 'json', ...args);
  assert.ok(stdout.startsWith('['), stderr);
  return { code, findings: JSON.parse(stdout) as Finding[] };
}

function configure(home: string, changes: Readonly<Record<string, string>> = {}): void {
  const sections = {
    listen_address: '127.0.0.1:0',
    database: `{type: local, local: {path: ${home}/kv}}`,
    blockstore: `{type: local, signing: {secret_key: signing}, local: {path: ${home}/block}}`,
    auth: '{encrypt: {secret_key: a-secret-of-this-test}}',
    committed: `{local_cache: {dir: ${home}/cache}}`,
    ...changes,
  };
  writeFileSync(
    join(home, 'srv.yaml'),
    Object.entries(sections)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
}

/** This machine may be so busy that its stores are slow. */
const verdicts = ({ findings }: Outcome): string[] =>
  findings.map(({ about, verdict, text }) => `${about}: ${/: a step takes /.test(text) ? 'ok' : verdict}`);
const failed = ({ findings }: Outcome): Finding | undefined => findings.find(({ verdict }) => verdict === 'failed');

describe('srv doctor', () => {
  let home = '';
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'srv-doctor-'));
  });
  after(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('knows an installation that is not set up', async () => {
    configure(home);
    const outcome = await doctor(home);
    assert.deepEqual(verdicts(outcome), [
      'configuration: ok',
      'database: ok',
      'database: skipped',
      'block store: skipped',
      'mail: skipped',
    ]);
    assert.equal(outcome.code, 0);
    assert.match(outcome.findings[2]?.remedy ?? '', /srv setup/);
  });

  it('finds everything in order, and leaves nothing behind', async () => {
    assert.equal((await srv(home, 'setup', '--user-name', 'ann')).code, 0);
    mkdirSync(join(home, 'block', 'lakes'), { recursive: true });
    const outcome = await doctor(home, '--namespace', 'local://lakes');
    assert.deepEqual(verdicts(outcome), [
      'configuration: ok',
      'database: ok',
      'database: ok',
      'identity: ok',
      'block store: ok',
      'mail: skipped',
    ]);
    assert.equal(outcome.code, 0);
    assert.deepEqual(readdirSync(join(home, 'block', 'lakes')), []);
    const { stdout } = await srv(home, 'kv', 'scan', 'doctor');
    assert.equal(stdout, '');
    const text = (await srv(home, 'doctor')).stdout;
    assert.match(text, /^ok {7}configuration {2}read from .*srv\.yaml\n/);
  });

  it('lists what is wrong with the configuration, and examines nothing else', async () => {
    configure(home, { auth: '{encrpt: {secret_key: x}}' });
    const outcome = await doctor(home);
    assert.deepEqual(verdicts(outcome), ['configuration: failed']);
    assert.equal(outcome.code, 1);
    assert.match(failed(outcome)?.text ?? '', /auth\.encrpt.*did you mean auth\.encrypt/s);
    configure(home, { auth: '{encrypt: {secret_key: THIS_MUST_BE_CHANGED_IN_PRODUCTION}}' });
    assert.match(failed(await doctor(home))?.text ?? '', /auth\.encrypt\.secret_key is a value that everybody knows/);
  });

  it('blames the encryption key when stored secrets cannot be read', async () => {
    configure(home, { auth: '{encrypt: {secret_key: another-one}}' });
    const outcome = await doctor(home);
    assert.equal(outcome.code, 1);
    assert.deepEqual([failed(outcome)?.about, /auth\.encrypt\.secret_key/.test(failed(outcome)?.remedy ?? '')], ['identity', true]);
  });

  it('blames the database that does not answer', async () => {
    configure(home, { database: '{type: postgres, postgres: {connection_string: "postgres://ann:hidden@127.0.0.1:9/srv"}}' });
    const outcome = await doctor(home);
    assert.equal(failed(outcome)?.about, 'database');
    assert.ok(!JSON.stringify(outcome.findings).includes('hidden'));
    assert.equal(outcome.code, 1);
  });

  const hasMail = existsSync(fileURLToPath(new URL('../../../email/package.json', import.meta.url)));
  it('tries mail, and blames the recipient, the address or the feature that is missing', async t => {
    const smtp = await startSmtp({ open: true, refuses: address => address === 'nobody@example.com' });
    t.after(() => smtp.close());
    const { hostname, port } = new URL(smtp.url);
    const mail = (at: string): Record<string, string> => ({ email: `{smtp_host: ${hostname}, smtp_port: ${at}, sender: srv@example.com}` });
    const mailOf = ({ findings }: Outcome): string[] => findings.flatMap(({ about, verdict }) => (about === 'mail' ? [verdict] : []));
    assert.deepEqual(mailOf(await doctor(home, '--mail-to', 'ann@example.com')), ['failed']);
    if (!hasMail) return;
    configure(home, mail(port));
    assert.deepEqual(mailOf(await doctor(home, '--mail-to', 'ann@example.com')), ['ok', 'ok']);
    assert.deepEqual(
      smtp.received.map(({ to }) => to),
      [['ann@example.com']],
    );
    const refused = await doctor(home, '--mail-to', 'nobody@example.com');
    assert.deepEqual([mailOf(refused), refused.code], [['ok', 'failed'], 1]);
    configure(home, mail('9'));
    assert.match(failed(await doctor(home))?.text ?? '', /127\.0\.0\.1:9 does not answer/);
    configure(home);
  });

  it('blames the schema of a newer release', async () => {
    configure(home);
    const dump = join(home, 'newer.json');
    const record = { partition: 'kv-internal-metadata', key: 'kv/schema/version', value: Buffer.from('9').toString('base64') };
    writeFileSync(dump, JSON.stringify({ version: '1.0', timestamp: new Date().toISOString(), entries: [record] }));
    const { code, stderr } = await srv(home, 'kv', 'load', dump, '--strategy', 'overwrite');
    assert.equal(code, 0, stderr);
    const outcome = await doctor(home);
    assert.match(failed(outcome)?.text ?? '', /schema version 9, this release reads 4: incompatible/);
    assert.equal(outcome.code, 1);
  });

  it('blames an embedded database that has lost records, and loses no more', async () => {
    const path = join(home, 'kv-lost');
    configure(home, { database: `{type: local, local: {path: ${path}}}` });
    assert.equal((await srv(home, 'setup', '--user-name', 'ann')).code, 0);
    mkdirSync(join(path, 'lost'));
    writeFileSync(join(path, 'lost', '000003.log'), 'a log of an earlier start');
    const kept = await doctor(home);
    assert.deepEqual([failed(kept)?.about, kept.code], ['database', 1]);
    assert.ok(
      failed(kept)?.text.includes(`in ${join(path, 'lost')}; restore the folder from a backup, or move ${join(path, 'lost')} elsewhere`),
    );
    rmSync(join(path, 'lost'), { recursive: true });
    assert.equal((await doctor(home)).code, 0);
    // Unreadable bytes before other records are damage.
    const [log = ''] = readdirSync(path).filter(name => name.endsWith('.log'));
    const bytes = readFileSync(join(path, log));
    writeFileSync(join(path, log), bytes.fill(0xff, 8, 12));
    const damaged = await doctor(home);
    assert.deepEqual([failed(damaged)?.about, damaged.code], ['database', 1]);
    assert.match(failed(damaged)?.text ?? '', /has lost records/);
    assert.deepEqual([existsSync(join(path, 'lost')), readFileSync(join(path, log)).equals(bytes)], [false, true]);
    configure(home);
  });

  it('blames a mail server that does not answer', async t => {
    const silent = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await new Promise(resolve => silent.once('listening', resolve));
    t.after(() => silent.close());
    const address = silent.address();
    assert.ok(typeof address === 'object' && address);
    assert.match(await greetingOf({ host: '127.0.0.1', port: address.port, tls: false }), /^HTTP/);
    const smtp = await startSmtp();
    t.after(() => smtp.close());
    const { hostname, port } = new URL(smtp.url);
    assert.match(await greetingOf({ host: hostname, port: Number(port), tls: false }), /^220 /);
    await assert.rejects(greetingOf({ host: '127.0.0.1', port: 9, tls: false }), /ECONNREFUSED/);
  });
});

/** A store in memory that misbehaves as a test says. */
function store(changes: Partial<BlockStore> = {}): BlockStore {
  const objects = new Map<string, Buffer>();
  return {
    type: 'test',
    resolve: ({ namespace, identifier }: { namespace: string; identifier: string }) => `${namespace}/${identifier}`,
    put: async ({ identifier }: { identifier: string }, body: Buffer) => {
      objects.set(identifier, body);
      return { lastModified: new Date() };
    },
    get: async ({ identifier }: { identifier: string }) => Readable.from([objects.get(identifier) ?? Buffer.alloc(0)]),
    exists: async ({ identifier }: { identifier: string }) => objects.has(identifier),
    properties: async () => ({ size: 3, lastModified: new Date(), etag: 'x' }),
    remove: async ({ identifier }: { identifier: string }) => void objects.delete(identifier),
    async *walk() {
      yield [...objects.keys()].map(relativeKey => ({ relativeKey, address: '', size: 3, etag: '', lastModified: new Date() }));
    },
    ...changes,
  } as Partial<BlockStore> as BlockStore;
}

test('a block store that refuses something names the permission', async () => {
  assert.deepEqual(
    (await examineNamespace(store(), 's3://b/x')).list.map(({ verdict }) => verdict),
    ['ok'],
  );
  const refuse = () => Promise.reject(new SrvError('forbidden', 'AccessDenied'));
  for (const [method, permission] of [
    ['put', 'write'],
    ['get', 'read'],
    ['remove', 'delete'],
  ] as const) {
    const [finding] = (await examineNamespace(store({ [method]: refuse }), 's3://b/x')).list;
    assert.equal(finding?.verdict, 'failed');
    assert.match(finding?.text ?? '', /^s3:\/\/b\/x: an object cannot be .*: AccessDenied$/);
    assert.match(finding?.remedy ?? '', new RegExp(`^Allow these credentials to ${permission} objects below s3://b/x`));
  }
});

test('does not report a missing store or bucket as a matter of permissions', async () => {
  const failing = (error: SrvError) => examineNamespace(store({ put: () => Promise.reject(error) }), 's3://b/x');
  for (const [error, remedy] of [
    [new SrvError('unavailable', 'ECONNREFUSED'), /^Start the store, or make it reachable/],
    [missingContainer('s3://b/x', 'bucket', undefined), /^Create the bucket/],
    [new SrvError('config', 'another region'), /^Correct section blockstore/],
  ] as const)
    assert.match((await failing(error)).list[0]?.remedy ?? '', remedy);
});

test('a block store that answers from a cache is found out', async () => {
  const stale = await examineNamespace(store({ get: async () => Readable.from([Buffer.from('one')]) }), 's3://b/x');
  assert.match(stale.list[0]?.text ?? '', /a replaced object is not seen at once/);
  const unlisted = await examineNamespace(store({ async *walk() {} }), 's3://b/x');
  assert.match(unlisted.list[0]?.text ?? '', /a new object in a listing is not seen at once/);
});

test('clocks that differ are judged by how far, and a slow store is not taken for one whose clock differs', () => {
  const judged = (stamp: number): string => {
    const findings = new Findings('block store');
    judgeClock(findings, stamp, 0, 60_000);
    return findings.list.map(({ verdict, text }) => `${verdict}: ${text.replace('the clock of the store is ', '')}`).join('');
  };
  assert.deepEqual([0, 60_000, 63_000, -10_000, 460_000].map(judged), [
    '',
    '',
    '',
    "warning: 10s behind this machine's",
    "failed: 6m40s ahead of this machine's",
  ]);
});

test('a table shows remedies below their findings', () => {
  const findings = new Findings('mail');
  findings.ok('fine');
  findings.fail('broken\nin two', 'mend it');
  assert.equal(findingsText(findings.list), 'ok       mail  fine\nfailed   mail  broken\n               in two\n               > mend it');
});
