import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel/errors';
import { Config, defineConfig, envName, formatDuration, key, nearest, parseDuration } from '../src/config/index.js';
import type { ConfigEntry, ConfigKey, ConfigKeys } from '../src/config/index.js';

const entry = (name: string, raw: unknown, source = 'config.yaml:1'): ConfigEntry => ({ key: name, raw, source });
const create = (keys: ConfigKeys, ...entries: ConfigEntry[]): Config => Config.create([{ plugin: 'p', keys }], entries);
const decode = (declared: ConfigKey, raw: unknown): unknown => create({ k: declared }, entry('k', raw)).values({ k: declared }).k;

test('durations are Go-style, and have a unit', () => {
  const vectors: readonly [text: string, ms: number | undefined][] = [
    ['3ms', 3],
    ['1h30m', 5_400_000],
    ['0', 0],
    ['0s', 0],
    ['168h', 604_800_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['10ns', 0.00001],
    ['-1s', -1000],
    ['1h0m0s', 3_600_000],
    ['', undefined],
    ['5', undefined],
    ['5 s', undefined],
    ['1d', undefined],
    ['s', undefined],
    ['1s2', undefined],
  ];
  for (const [text, ms] of vectors) {
    const parsed = parseDuration(text);
    if (ms === undefined) assert.equal(parsed, undefined, text);
    else assert.ok(parsed !== undefined && Math.abs(parsed - ms) < 1e-9, text);
  }
  const declared = key.duration({ default: '5s', meaning: '' });
  for (const bare of [20, '20'])
    assert.throws(() => decode(declared, bare), {
      message: /k: "?20"? \(from .*\) is not allowed; allowed: a duration with its unit, such as 20s or 20m/,
    });
  for (const zero of [0, '0', '0s']) assert.equal(decode(declared, zero), 0);
  assert.equal(decode(key.duration({ default: '5s', bareUnit: 's', meaning: '' }), 20), 20_000);
  assert.equal(decode(declared, '5m'), 300_000);
  for (const [ms, text] of [
    [0, '0s'],
    [3, '3ms'],
    [5000, '5s'],
    [604_800_000, '168h'],
    [5_400_000, '1h30m'],
    [1500, '1.5s'],
    [-60_000, '-1m'],
  ] as const)
    assert.equal(formatDuration(ms), text);
  assert.throws(() => decode(declared, '-5s'), {
    message: /k: "-5s" \(from config\.yaml:1\) is not allowed; allowed: a duration such as 300ms, 5m or 1h30m/,
  });
});

test('a duration may have a least value', () => {
  const declared = key.duration({ default: '5s', min: 1000, meaning: '' });
  assert.equal(decode(declared, '1s'), 1000);
  for (const text of ['0', '0s', '999ms'])
    assert.throws(() => decode(declared, text), { message: /k: .* is not allowed; allowed: a duration of at least 1s/ }, text);
});

test('durations of timers are whole milliseconds, and not longer than timers can wait', () => {
  const least = key.timer({ default: '5s', min: 1000, meaning: '' });
  assert.equal(least.decode('1s'), 1000);
  assert.throws(() => least.decode('0'), { message: 'a duration of at least 1s' });
  const declared = key.timer({ default: '5s', meaning: '' });
  assert.equal(decode(declared, undefined), 5000);
  assert.equal(decode(declared, '1.001s'), 1001);
  assert.equal(decode(declared, '1ns'), 1);
  assert.equal(decode(declared, 0), 0);
  assert.equal(decode(declared, '596h'), 596 * 3_600_000);
  for (const text of ['597h', '720h', '2147483648ms'])
    assert.throws(() => decode(declared, text), { message: /k: .* is not allowed; allowed: a duration of at most 596h/ }, text);
  assert.throws(() => decode(declared, '20'), { message: /allowed: a duration with its unit, such as 20s or 20m/ });
});

test('booleans and numbers accept the usual spellings', () => {
  const flag = key.bool({ default: false, meaning: '' });
  for (const raw of [true, 'true', 'TRUE', 'True', '1', 1, 't', 'T']) assert.equal(decode(flag, raw), true, String(raw));
  for (const raw of [false, 'false', 'FALSE', '0', 0, 'f', 'F']) assert.equal(decode(flag, raw), false, String(raw));
  for (const raw of ['yes', '', 'on', 2]) assert.throws(() => decode(flag, raw), SrvError, String(raw));
  const count = key.int({ min: 0, max: 10, meaning: '' });
  assert.equal(decode(count, '7'), 7);
  for (const raw of [-1, 11, 1.5, 'x', '']) assert.throws(() => decode(count, raw), { message: /a whole number from 0 to 10/ });
  assert.equal(decode(key.float({ meaning: '' }), '0.9'), 0.9);
  const share = key.float({ min: 0, max: 1, meaning: '' });
  for (const raw of [-0.1, '1.5', 'x', '']) assert.throws(() => decode(share, raw), { message: /allowed: a number from 0 up to 1$/ });
});

test('texts: scalars become text, choices ignore case, maps and lists are refused', () => {
  assert.equal(decode(key.text({ meaning: '' }), 123), '123');
  for (const given of ['info', 'Info', 'INFO']) assert.equal(decode(key.text({ values: ['INFO', 'WARN'], meaning: '' }), given), 'INFO');
  assert.throws(() => decode(key.text({ values: ['INFO', 'WARN'], meaning: '' }), 'loud'), { message: /allowed: one of INFO, WARN/ });
  assert.throws(() => decode(key.text({ meaning: '' }), { a: 1 }), { message: /allowed: a string/ });
});

test('in paths ~ is the home folder, and only in front', () => {
  const path = key.path({ default: '~/srv', meaning: '' });
  assert.equal(decode(path, '~/x'), join(homedir(), 'x'));
  assert.equal(decode(path, '~'), homedir());
  assert.equal(decode(path, '/a/~/b'), '/a/~/b');
  assert.equal(decode(path, '~other'), '~other');
  assert.equal(create({ path }).values({ path }).path, join(homedir(), 'srv'));
});

test('lists and maps come as YAML, as JSON or as text', () => {
  const lines = key.list({ default: [], meaning: '' });
  assert.deepEqual(decode(lines, ['a', 'b']), ['a', 'b']);
  assert.deepEqual(decode(lines, 'a, b'), ['a', 'b']);
  assert.deepEqual(decode(lines, '["a,b","c"]'), ['a,b', 'c']);
  assert.deepEqual(decode(lines, ''), []);
  assert.throws(() => decode(lines, '["a"'), { message: /a JSON list or values separated by commas/ });
  const pairs = key.map({ meaning: '' });
  assert.deepEqual(decode(pairs, { a: 'b' }), { a: 'b' });
  assert.deepEqual(decode(pairs, ' a = b , c=d=e ,'), { a: 'b', c: 'd=e' });
  assert.deepEqual(decode(pairs, ''), {});
  assert.throws(() => decode(pairs, 'a=b,c'), { message: /invalid key-value pair: c/ });
});

test('all problems are listed at once, each with its source and what is allowed', () => {
  const keys = defineConfig({
    plugin: 'p',
    keys: {
      'a.level': key.text({ values: ['INFO'], meaning: '' }),
      'a.size': key.int({ meaning: '' }),
      'a.secret': key.int({ secret: true, meaning: '' }),
      'a.must': key.text({ required: true, meaning: '' }),
    },
  });
  const entries = [
    entry('a.level', 'x', 'SRV_A_LEVEL'),
    entry('a.size', 'big'),
    entry('a.secret', 'hush'),
    entry('a.levle', 'y', 'config.yaml:7'),
    entry('zzzzzz', 1),
  ];
  assert.throws(
    () => Config.create([keys], entries),
    (error: unknown) => {
      assert.ok(error instanceof SrvError);
      assert.equal(error.code, 'config');
      assert.deepEqual(error.details.problems, [
        'a.levle: unknown key (from config.yaml:7); did you mean a.level?',
        'zzzzzz: unknown key (from config.yaml:1)',
        'a.level: "x" (from SRV_A_LEVEL) is not allowed; allowed: one of INFO',
        'a.size: "big" (from config.yaml:1) is not allowed; allowed: a whole number',
        'a.secret: ****** (from config.yaml:1) is not allowed; allowed: a whole number',
        'a.must: missing required key (plugin p); set it in the file or as SRV_A_MUST; allowed: string',
      ]);
      assert.ok(!error.message.includes('hush'));
      return true;
    },
  );
});

test('the strongest source wins; keys ignore case; aliases count; null means default', () => {
  const keys = { 'cache.ttl': key.duration({ default: '5s', aliases: ['cache.expiry'], meaning: '' }) };
  const config = create(keys, entry('CACHE.TTL', '1s', 'file'), entry('cache.expiry', '2s', 'env'));
  assert.equal(config.values(keys)['cache.ttl'], 2000);
  assert.equal(config.sourceOf('cache.ttl'), 'env');
  assert.equal(create(keys, entry('cache.ttl', null)).values(keys)['cache.ttl'], 5000);
  assert.equal(create(keys).sourceOf('cache.ttl'), 'default');
});

test('shown values hide secrets and are frozen', () => {
  const keys = {
    'b.secret': key.text({ secret: true, meaning: '' }),
    'a.empty': key.text({ secret: true, default: '', meaning: '' }),
    'c.open': key.text({ default: 'x', meaning: '' }),
  };
  const config = create(keys, entry('b.secret', 'hush'));
  assert.deepEqual(config.show(), [
    { key: 'a.empty', value: '', source: 'default' },
    { key: 'b.secret', value: '******', source: 'config.yaml:1' },
    { key: 'c.open', value: 'x', source: 'default' },
  ]);
  assert.ok(Object.isFrozen(config.values(keys)));
});

test('required may depend on other keys; checks see values; inactive plugins are not asked', () => {
  const withTls = { required: (config: { get(key: string): unknown }) => config.get('tls.enabled') === true };
  const section = defineConfig({
    plugin: 'tls',
    keys: {
      'tls.enabled': key.bool({ default: false, meaning: '' }),
      'tls.file': key.text({ ...withTls, meaning: '' }),
      'tls.port': key.int({ default: 1, meaning: '' }),
    },
    check: values => (values['tls.port'] === 13 ? ['tls.port: 13 brings bad luck'] : []),
  });
  assert.equal(Config.create([section], []).values(section.keys)['tls.file'], undefined);
  assert.throws(() => Config.create([section], [entry('tls.enabled', true)]), {
    message: /tls\.file: missing required key \(plugin tls\); set it in the file or as SRV_TLS_FILE/,
  });
  assert.throws(() => Config.create([section], [entry('tls.port', 13)]), { message: /tls\.port: 13 brings bad luck/ });
  assert.ok(Config.create([section], [entry('tls.enabled', true), entry('tls.port', 13)], { active: plugin => plugin !== 'tls' }));
});

test('values of an inactive plugin are noted, not judged; reading one that cannot be decoded fails', () => {
  const keys = {
    'mail.port': key.int({ default: 25, meaning: '' }),
    'mail.password': key.int({ secret: true, meaning: '' }),
    'mail.burst': key.int({ meaning: '' }),
  };
  const entries = [entry('mail.port', '$PORT'), entry('mail.password', 'hush', 'SRV_MAIL_PASSWORD'), entry('mail.burst', 7)];
  const config = Config.create([{ plugin: 'mail', keys }], entries, { active: () => false });
  assert.deepEqual(config.notes, [
    'mail.port (from config.yaml:1) has no effect: the plugin mail is off',
    'mail.password (from SRV_MAIL_PASSWORD) has no effect: the plugin mail is off',
    'mail.burst (from config.yaml:1) has no effect: the plugin mail is off',
  ]);
  assert.deepEqual(config.show(), [
    { key: 'mail.burst', value: 7, source: 'config.yaml:1' },
    { key: 'mail.password', value: undefined, source: 'default' },
    { key: 'mail.port', value: 25, source: 'default' },
  ]);
  assert.deepEqual(config.values({ 'mail.burst': keys['mail.burst'] }), { 'mail.burst': 7 });
  assert.throws(() => config.values(keys), {
    code: 'config',
    message:
      'bad configuration:\n  - mail.port: "$PORT" (from config.yaml:1) is not allowed; allowed: a whole number\n' +
      '  - mail.password: ****** (from SRV_MAIL_PASSWORD) is not allowed; allowed: a whole number',
  });
});

test('a copy has other values; the original and what is not declared stay', () => {
  const keys = { 'db.strict': key.bool({ default: false, meaning: '' }), 'db.path': key.text({ meaning: '' }) };
  const config = create(keys, entry('db.path', '/x'));
  const copy = config.with({ 'db.strict': true, 'db.none': 1 }, 'a tool');
  assert.deepEqual([copy.values(keys), copy.sourceOf('db.strict')], [{ 'db.strict': true, 'db.path': '/x' }, 'a tool']);
  assert.equal(config.values(keys)['db.strict'], false);
  assert.equal(copy.show().length, 2);
  assert.throws(() => config.with({ 'db.strict': 'perhaps' }, 'a tool'), {
    code: 'config',
    message: /db\.strict: "perhaps" \(from a tool\) is not allowed/,
  });
});

test('a key that two plugins declare is a problem', () => {
  const keys = { a: key.int({ meaning: '' }) };
  assert.throws(
    () =>
      Config.create(
        [
          { plugin: 'x', keys },
          { plugin: 'y', keys },
        ],
        [],
      ),
    { message: /a: declared by both x and y/ },
  );
});

test('nearest finds typing errors, not unrelated words', () => {
  assert.equal(nearest('loging.level', ['logging.level', 'listen_address']), 'logging.level');
  assert.equal(nearest('xyz', ['logging.level']), undefined);
  assert.equal(nearest('a', []), undefined);
});

test('variable names', () => {
  assert.equal(envName('blockstore.s3.region'), 'SRV_BLOCKSTORE_S3_REGION');
});
