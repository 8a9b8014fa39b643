/** Files and variables of features that are not installed, and variables that nothing reads. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kernel, definePlugin, envName, key, silentLogger } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { featureKeys } from '../src/server/feature-keys.js';
import plugin from '../src/server/index.js';
import type { InlinePlugin, Logger } from '@srv/kernel';

const needed = 'database.type: local\nblockstore.type: mem\n';

async function configured(file: string, env: Record<string, string> = {}, inline: readonly InlinePlugin[] = []): Promise<Kernel> {
  const home = scratchFolder();
  writeFileSync(join(home, 'config.yaml'), needed + file);
  const switches = { disabled: ['idle'].filter(name => inline.some(({ plugin: { name: found } }) => found === name)) };
  const kernel = new Kernel({ part: 'server', cwd: home, home, env, inline: [{ plugin }, ...inline], switches });
  await kernel.load();
  return kernel.configure();
}

test('every key of every feature is accepted, in the file and in the environment, and noted', async () => {
  const file = await configured(featureKeys.map(name => `${name}: anything\n`).join(''));
  assert.deepEqual(
    file.config.notes.map(note => note.split(' ')[0]),
    featureKeys,
  );
  assert.match(file.config.notes[0] ?? '', /^email\.smtp_host \(from config\.yaml:3\) has no effect: the feature e-mail is not installed$/);
  const environment = await configured('', Object.fromEntries(featureKeys.map(name => [envName(name), 'anything'])));
  assert.deepEqual(
    environment.config.notes.map(note => note.split(' ')[0]),
    featureKeys.map(envName),
  );
});

test('nested, with maps and empty sections', async () => {
  const file = 'email:\n  smtp_port: 25\nui:\nstats:\n  enabled:\nauth:\n  oidc:\n    validate_id_token_claims:\n      team: storage\n';
  const { config } = await configured(file);
  assert.deepEqual(
    config.notes.map(note => note.split(' has')[0]),
    [
      'email.smtp_port (from config.yaml:4)',
      'stats.enabled (from config.yaml:7)',
      'auth.oidc.validate_id_token_claims.team (from config.yaml:11)',
    ],
  );
});

test('a slip of the finger in such a key is still an error', async () => {
  await assert.rejects(configured('email.smtp_hots: x\n'), { code: 'config', message: /email\.smtp_hots: unknown key/ });
  await assert.rejects(configured('emial:\n'), { code: 'config', message: /emial: unknown key/ });
});

test('a feature that is installed reads its keys', async () => {
  const section = { plugin: 'email', keys: { 'email.smtp_host': key.text({ meaning: 'host' }) } };
  const { config } = await configured('email.smtp_host: mail.example\n', {}, [
    { plugin: definePlugin({ name: 'email', apply() {} }), section },
  ]);
  assert.deepEqual(config.notes, []);
  assert.deepEqual(config.values(section.keys), { 'email.smtp_host': 'mail.example' });
});

test('keys of a plugin that is off are noted, wherever they stand', async () => {
  const section = { plugin: 'idle', keys: { 'extra.one': key.text({ meaning: '' }), 'extra.two': key.text({ meaning: '' }) } };
  const off = { plugin: definePlugin({ name: 'idle', apply() {} }), section };
  const { config } = await configured('extra.one: x\n', { SRV_EXTRA_TWO: 'y' }, [off]);
  assert.deepEqual(config.notes, [
    'extra.one (from config.yaml:3) has no effect: the plugin idle is off',
    'extra.two (from SRV_EXTRA_TWO) has no effect: the plugin idle is off',
  ]);
});

test('values of a plugin that is off are not judged', async () => {
  const section = {
    plugin: 'idle',
    keys: { 'extra.port': key.int({ meaning: '' }), 'extra.password': key.int({ secret: true, meaning: '' }) },
  };
  const off = { plugin: definePlugin({ name: 'idle', apply() {} }), section };
  const { config } = await configured('extra:\n  port: $PORT\n', { SRV_EXTRA_PASSWORD: 'hush' }, [off]);
  assert.deepEqual(config.notes, [
    'extra.port (from config.yaml:4) has no effect: the plugin idle is off',
    'extra.password (from SRV_EXTRA_PASSWORD) has no effect: the plugin idle is off',
  ]);
});

test('variables that no key reads are reported with the nearest name, others are not', async () => {
  const { config } = await configured('', {
    SRV_DATABSE_TYPE: 'x',
    SRV_QQQQQQQQQQQQQQQQQQ: 'secret-value',
    SRV_BLOCKSTORE_TYPE: 'mem',
    SRV_EMPTY: '',
    SRV_TEST_SEED: '1',
    SRV_SERVICE_HOST: '10.0.0.1',
    SRV_PORT_8000_TCP_ADDR: '10.0.0.1',
    SRV_PORT: 'tcp://10.0.0.1:8000',
    SRVX: 'x',
  });
  assert.deepEqual(config.notes, [
    'SRV_DATABSE_TYPE has no effect: no key has this name; did you mean SRV_DATABASE_TYPE?',
    'SRV_QQQQQQQQQQQQQQQQQQ has no effect: no key has this name',
  ]);
});

test('notes are logged at start', async () => {
  const logged: unknown[] = [];
  const log: Logger = { ...silentLogger, warn: (fields, message) => logged.push({ ...fields, message }) };
  const logging = definePlugin({
    name: 'logging',
    apply({ services, hooks }) {
      services.provide('log', log);
      hooks.openKvStore.for('local').tapPromise('logging', () => Promise.reject(new Error('far enough')));
    },
  });
  const kernel = await configured('ui.enabled: true\n', {}, [{ plugin: logging }]);
  assert.deepEqual(logged, []);
  await assert.rejects(kernel.start(), /far enough/);
  const note = 'ui.enabled (from config.yaml:3) has no effect: the feature web page is not installed';
  assert.deepEqual(logged, [{ note, message: 'configuration without effect' }]);
});
