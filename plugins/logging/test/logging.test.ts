import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Kernel } from '@srv/kernel';
import { scratchFolder, seededRandom } from '@srv/kernel/testing';
import section from '../src/config.js';
import { CountedOutput } from '../src/server/counted-output.js';
import plugin from '../src/server/index.js';
import { createAudit, createLogger } from '../src/server/logger.js';
import { openOutputs } from '../src/server/outputs.js';
import { redact } from '../src/server/redact.js';
import { RotatingFile } from '../src/server/rotating-file.js';
import { textLine } from '../src/server/text-line.js';

function recorder() {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  return { lines, sink, parsed: () => lines.map(line => JSON.parse(line) as Record<string, unknown>) };
}

test('a JSON line has time, level, msg and the fields of its logger', () => {
  const { sink, parsed } = recorder();
  createLogger('INFO', sink, { worker: 2 }).child({ service_name: 'rest_api' }).info({ user: 'me' }, 'hello');
  const [line] = parsed();
  assert.ok(line);
  assert.match(String(line.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual({ ...line, time: 0 }, { level: 'info', time: 0, worker: 2, service_name: 'rest_api', user: 'me', msg: 'hello' });
});

const order = ['trace', 'debug', 'info', 'warn', 'error'] as const;
for (const [level, count] of [
  ['TRACE', 5],
  ['DEBUG', 4],
  ['INFO', 3],
  ['WARN', 2],
  ['ERROR', 1],
  ['NONE', 0],
] as const) {
  test(`level ${level} writes the ${count} highest levels`, () => {
    const { sink, parsed } = recorder();
    const log = createLogger(level, sink);
    for (const name of order) log[name]({}, 'x');
    assert.deepEqual(
      parsed().map(line => line.level),
      order.slice(order.length - count),
    );
  });
}

test('audit lines appear, and are described, unless their level is below the log level', () => {
  const written = (level: string, auditLevel: string): unknown[] => {
    const { sink, parsed } = recorder();
    let described = 0;
    createAudit(createLogger(level, sink), auditLevel)(() => ({ status_code: 200, described: ++described }), 'HTTP call ended');
    assert.equal(described, parsed().length);
    return parsed().map(line => [line.level, line.log_audit]);
  };
  assert.deepEqual(written('INFO', 'DEBUG'), []);
  assert.deepEqual(written('INFO', 'INFO'), [['info', true]]);
  assert.deepEqual(written('DEBUG', 'NONE'), [['debug', true]]);
  assert.deepEqual(written('INFO', 'NONE'), []);
});

test('secrets are masked by name at any depth; errors become data', () => {
  const fields = redact({
    secret_access_key: 'a',
    password: 'b',
    headers: { Authorization: 'c', cookie: ['d'], host: 'h' },
    list: [{ access_token: 'e' }],
    staging_token: 'kept',
    use_token: true,
    token: '',
    size: 5n,
    error: Object.assign(new Error('bad'), { code: 'invalid', cause: new Error('why') }),
  });
  assert.deepEqual(JSON.parse(JSON.stringify(fields, (name, value: unknown) => (name === 'stack' ? undefined : value))), {
    secret_access_key: '******',
    password: '******',
    headers: { Authorization: '******', cookie: '******', host: 'h' },
    list: [{ access_token: '******' }],
    staging_token: 'kept',
    use_token: true,
    token: '',
    size: '5',
    error: { message: 'bad', code: 'invalid', cause: { message: 'why' } },
  });
});

test('a cyclic field does not break logging', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  assert.ok(JSON.stringify(redact({ cyclic })).includes('…'));
});

test('the text format quotes what needs quotes', () => {
  const json = JSON.stringify({
    level: 'info',
    time: 't',
    a: 'plain',
    b: 'two words',
    c: 5,
    d: { e: 1 },
    f: '',
    g: 'line\nbreak',
    msg: 'it "works"',
  });
  assert.equal(textLine(json), 'time=t level=info msg="it \\"works\\"" a=plain b="two words" c=5 d="{\\"e\\":1}" f="" g="line\\nbreak"\n');
});

const fullDevice = '/dev/full';
const noFullDevice = existsSync(fullDevice) ? false : 'needs /dev/full';
const rules = { maxBytes: 1 << 20, keep: 0 };

test('lines that a full disk does not take are counted, and reported once it takes lines again', { skip: noFullDevice }, t => {
  const path = join(scratchFolder(), 'srv.log');
  const complaints: string[] = [];
  t.mock.method(process.stderr, 'write', (text: string) => complaints.push(text) > 0);
  symlinkSync(fullDevice, path);
  const output = openOutputs([path], 'json', rules);
  const log = createLogger('INFO', output);
  for (const name of ['a', 'b', 'c']) log.info({}, name);
  rmSync(path);
  log.info({}, 'd');
  log.info({}, 'e');
  output.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [d, report, e] = lines.map(line => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([lines.length, d?.msg, e?.msg], [3, 'd', 'e']);
  assert.deepEqual([report?.level, report?.msg, report?.lost_lines], ['warn', 'log lines were lost', 3]);
  assert.match(String(report?.error), /ENOSPC/);
  assert.equal(complaints.length, 1);
  assert.match(complaints[0] ?? '', /^logging: lines are not written to .*srv\.log: ENOSPC/);
});

test('a report that is lost, too, is made later', () => {
  const failures = [true, true, false, true, false, false];
  const taken: string[] = [];
  const output = new CountedOutput(
    {
      write(text, done) {
        if (failures.shift() === true) return done(new Error('full'));
        taken.push(text);
        done();
      },
      close: () => {},
    },
    { name: '=', shape: textLine },
  );
  for (const text of ['lost', 'lost', 'x', 'y']) output.write(`${text}\n`);
  const [x, y, report = ''] = taken;
  assert.deepEqual([x, y, taken.length], ['x\n', 'y\n', 3]);
  assert.match(report, /level=warn msg="log lines were lost" lost_lines=2 error=full/);
});

test('a line that was cut is ended before the next one', () => {
  const path = join(scratchFolder(), 'srv.log');
  writeFileSync(path, 'whole\ncut');
  const file = new RotatingFile(path, rules);
  file.write('next\n');
  file.close();
  assert.equal(readFileSync(path, 'utf8'), 'whole\ncut\nnext\n');
});

test('beyond maxBytes and keep: a full file is set aside and only that many are kept', () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  const file = new RotatingFile(path, { maxBytes: 20, keep: 2 });
  for (let i = 0; i < 6; i++) file.write(`line number ${i}\n`);
  file.close();
  const names = readdirSync(folder).sort();
  assert.equal(names.length, 3);
  assert.match(names[0] ?? '', /^srv-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
  assert.equal(readFileSync(path, 'utf8'), 'line number 5\n');
  assert.equal(readFileSync(join(folder, names[1] ?? ''), 'utf8'), 'line number 4\n');
});

test('keep 0 keeps every file; appending continues an existing file; lines after close are kept', () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  writeFileSync(path, 'earlier\n');
  const file = new RotatingFile(path, { maxBytes: 16, keep: 0 });
  for (let i = 0; i < 5; i++) file.write(`0123456789${i}\n`);
  assert.equal(readdirSync(folder).length, 6);
  file.close();
  file.write('x\n');
  assert.equal(readFileSync(path, 'utf8'), '01234567894\nx\n');
});

test('writers to one file rotate it together: the files that are kept hold the newest lines, each once and in order', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { below } = seededRandom(seed);
    const folder = scratchFolder();
    const path = join(folder, 'srv.log');
    const writers = Array.from({ length: 3 }, () => new RotatingFile(path, { maxBytes: 100, keep: 2 }));
    for (let line = 0; line < 300; line++) {
      // One is quieter than the others: it misses several rotations in a row.
      const writer = writers[below(50) === 0 ? 0 : 1 + below(2)];
      writer?.write(`line ${line} ${'x'.repeat(below(20))}\n`);
    }
    for (const writer of writers) writer.close();
    const files = readdirSync(folder).sort();
    assert.equal(files.length, 3, `seed ${seed}`);
    const texts = files.map(name => readFileSync(join(folder, name), 'utf8'));
    for (const text of texts) assert.ok(text.length <= 100, `seed ${seed}`);
    const numbers = [...texts.join('').matchAll(/^line (\d+) x*$/gm)].map(match => Number(match[1]));
    const newest = Array.from({ length: numbers.length }, (_, at) => 300 - numbers.length + at);
    assert.deepEqual(numbers, newest, `seed ${seed}`);
  }
});

test('threads that write to one file at the same time lose no line', async () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  const [threads, lines] = [3, 500];
  const workers = Array.from(
    { length: threads },
    (_, id) => new Worker(new URL('./log-writer.js', import.meta.url), { workerData: { path, id, lines, maxBytes: 1000 } }),
  );
  await Promise.all(workers.map(worker => once(worker, 'exit')));
  const written = readdirSync(folder).flatMap(name => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
  const expected = Array.from({ length: threads * lines }, (_, at) => `thread ${at % threads} line ${Math.floor(at / threads)}`);
  assert.deepEqual(written.filter(line => line !== '').sort(), expected.sort());
});

test('a file that was moved away is left, and a new one begun', () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  const file = new RotatingFile(path, rules);
  file.write('before\n');
  renameSync(path, join(folder, 'moved.log'));
  file.write('after\n');
  writeFileSync(join(folder, 'another.log'), 'placed\n');
  renameSync(join(folder, 'another.log'), path);
  file.write('last\n');
  file.close();
  assert.equal(readFileSync(join(folder, 'moved.log'), 'utf8'), 'before\n');
  assert.equal(readFileSync(path, 'utf8'), 'placed\nlast\n');
});

test('a file that was emptied in place is full only when it has grown again', () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  const file = new RotatingFile(path, { maxBytes: 20, keep: 0 });
  file.write('line number 1\n');
  writeFileSync(path, '');
  file.write('line number 2\n');
  file.close();
  assert.deepEqual(readdirSync(folder), ['srv.log']);
});

test('while another process rotates, lines are added to the full file; a rotation that was abandoned is made up for', () => {
  const folder = scratchFolder();
  const path = join(folder, 'srv.log');
  const lock = `${path}.rotating`;
  const file = new RotatingFile(path, { maxBytes: 20, keep: 0 });
  writeFileSync(lock, '');
  for (let i = 0; i < 2; i++) file.write(`line number ${i}\n`);
  assert.deepEqual(readdirSync(folder), ['srv.log', 'srv.log.rotating']);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  for (let i = 2; i < 4; i++) file.write(`line number ${i}\n`);
  file.close();
  const [aside = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, ['srv.log']);
  assert.equal(readFileSync(join(folder, aside), 'utf8'), 'line number 0\nline number 1\nline number 2\n');
  assert.equal(readFileSync(path, 'utf8'), 'line number 3\n');
});

test('several outputs receive each line; a bad path is named', () => {
  const folder = scratchFolder();
  const paths = ['a.log', 'sub/b.log'].map(name => join(folder, name));
  const output = openOutputs(paths, 'json', { maxBytes: 1000, keep: 0 });
  output.write('{"msg":"x"}\n');
  output.close();
  assert.deepEqual(
    paths.map(path => readFileSync(path, 'utf8')),
    ['{"msg":"x"}\n', '{"msg":"x"}\n'],
  );
  assert.throws(() => openOutputs([join(folder, 'a.log', 'c.log')], 'json', { maxBytes: 1000, keep: 0 }), {
    code: 'config',
    message: /^logging\.output: .*c\.log cannot be opened: /,
  });
});

test('the plugin provides the log service once the configuration is known', async () => {
  const path = join(scratchFolder(), 'srv.log');
  const given = {
    'logging.output': path,
    'logging.format': 'text',
    'logging.level': 'warn',
    'logging.audit_log_level': 'ERROR',
    'database.type': 'local',
    'blockstore.type': 'mem',
  };
  const overrides = Object.entries(given).map(([key, raw]) => ({ key, raw, source: 'test' }));
  const kernel = new Kernel({ part: 'server', inline: [{ plugin, section }], switches: {}, overrides });
  await kernel.load();
  await kernel.configure();
  kernel.log.info({}, 'not written');
  kernel.log.warn({ secret: 's' }, 'written');
  kernel.services.get('audit')(() => ({ method: 'GET' }), 'HTTP call ended');
  await kernel.stop();
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.replace(/^time=\S+ /, ''));
  assert.deepEqual(lines, ['level=warn msg="written" secret="******"', 'level=error msg="HTTP call ended" log_audit=true method=GET']);
});

test('masks secrets in the query of a path, and leaves the rest of it as it is', () => {
  const url = (token: string, signature: string): string =>
    `/a%20b?token=${token}&X-Amz-Signature=${signature}&continuation-token=x%3D&path=a?b&token&prefix=s=c&secret_access_key=`;
  assert.deepEqual(redact({ path: url('abc=', 'f00'), url: '/?token=a' }), { path: url('******', '******'), url: '/?token=a' });
  assert.deepEqual(redact({ path: '/?%74oken=abc&%6be%79=v&%zz=abc' }), { path: '/?%74oken=******&%6be%79=v&%zz=******' });
  const fetched = (secret: string) => ({ path: `/api/v1/auth/get-token/mailboxes/${secret}` });
  assert.deepEqual(redact(fetched('abc?x=y')), fetched('******?x=y'));
  assert.deepEqual(redact(fetched('a%2Fbc')), fetched('******'));
  assert.deepEqual(redact({ path: '/lakes/main/mailboxes/abc' }), { path: '/lakes/main/mailboxes/abc' });
  assert.deepEqual(redact({ path: '/token=abc' }), { path: '/token=abc' });
});
