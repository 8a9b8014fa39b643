import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { referenceRows } from '@srv/config/reference';
import { defineConfig, key } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { cliConfig } from '../src/config/keys.js';
import { cliEnvName, readSection, readSettings } from '../src/config/settings.js';
import { fixture } from './fixture.js';
import { normalDefault, normalType } from './spec-table.js';

test('variables that the file overrules are named, with the file, once', async () => {
  const home = scratchFolder();
  const file = join(home, 'cli.yaml');
  writeFileSync(file, 'server:\n  endpoint_url: http://file\ncredentials:\n  access_key_id: same\n');
  const env = {
    CLI_CONFIG_FILE: file,
    CLI_SERVER_ENDPOINT_URL: 'http://env',
    CLI_CREDENTIALS_ACCESS_KEY_ID: 'same',
    CLI_OPTIONS_PARALLELISM: '7',
  };
  assert.deepEqual((await readSettings({ env, home, cwd: home })).warnings, [
    `CLI_SERVER_ENDPOINT_URL: not used, since ${file} sets the same`,
  ]);
  const others = { ...env, CLI_SERVER_ENDPOINT_URL: 'http://file' };
  assert.deepEqual((await readSettings({ env: others, home, cwd: home })).warnings, []);
});

test('flags beat the file, which beats variables, which beat defaults', async () => {
  const home = scratchFolder();
  writeFileSync(join(home, '.cli.yaml'), 'credentials:\n  access_key_id: 12345\nserver:\n  endpoint_url: http://file\n');
  const env = {
    CLI_CREDENTIALS_ACCESS_KEY_ID: 'env',
    CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'env-secret',
    CLI_OPTIONS_PARALLELISM: '7',
    CLI_SERVER_RETRIES_ENABLED: '',
  };
  const settings = await readSettings({ env, home, cwd: home, flags: { 'server.endpoint_url': 'http://flag' } });
  assert.equal(settings.values['credentials.access_key_id'], '12345');
  assert.equal(settings.values['credentials.secret_access_key'], 'env-secret');
  assert.equal(settings.values['server.endpoint_url'], 'http://flag');
  assert.equal(settings.values['options.parallelism'], 7);
  assert.equal(settings.values['server.retries.enabled'], true);
  assert.equal(settings.values['server.retries.max_wait_interval'], 30_000);
  assert.equal(settings.sourceOf('credentials.secret_access_key'), 'CLI_CREDENTIALS_SECRET_ACCESS_KEY');
  assert.equal(settings.show().find(({ key }) => key === 'credentials.secret_access_key')?.value, '******');
});

test('every key can be set by its variable alone', async () => {
  const home = scratchFolder();
  for (const [name, { type }] of Object.entries(cliConfig.keys)) {
    const given = { bool: 'false', int: '3', uint: '3', duration: '3s', 'map[string]string': 'a=b' }[type] ?? 'x';
    const settings = await readSettings({ env: { [cliEnvName(name)]: given }, home, cwd: home });
    assert.equal(settings.sourceOf(name), cliEnvName(name));
  }
});

test('the file is that of --config, else of CLI_CONFIG_FILE, else ~/.cli.yaml', async () => {
  const home = scratchFolder();
  const write = (name: string): string => {
    writeFileSync(join(home, name), `server: { endpoint_url: 'http://${name}' }\n`);
    return join(home, name);
  };
  const read = async (env: Record<string, string>, file?: string): Promise<string> =>
    (await readSettings({ env, home, cwd: home, file: file || undefined })).values['server.endpoint_url'];
  assert.equal(await read({}), 'http://127.0.0.1:8000');
  write('.cli.yaml');
  assert.equal(await read({}), 'http://.cli.yaml');
  const byVariable = write('b.yaml');
  assert.equal(await read({ CLI_CONFIG_FILE: byVariable }), 'http://b.yaml');
  write('c.yaml');
  assert.equal(await read({ CLI_CONFIG_FILE: byVariable }, 'c.yaml'), 'http://c.yaml');
});

test('files: missing ones, broken ones, unknown keys', async () => {
  const home = scratchFolder();
  const at = { env: {}, home, cwd: home };
  await assert.rejects(readSettings({ ...at, file: 'none.yaml' }), {
    message: 'error reading configuration file: none.yaml: no such file',
  });
  assert.deepEqual((await readSettings({ ...at, env: { CLI_CONFIG_FILE: 'none.yaml' } })).warnings, [
    'CLI_CONFIG_FILE: none.yaml: no such file',
  ]);
  const file = join(home, '.cli.yaml');
  writeFileSync(file, 'server:\n  endpoint: x\nmetastore:\n  type: glue\n');
  assert.deepEqual((await readSettings(at)).warnings, [`unknown key server.endpoint in ${file}:2; did you mean server.endpoint_url?`]);
  writeFileSync(file, 'options:\n  parallelism: none\n');
  await assert.rejects(readSettings(at), {
    message: /options\.parallelism: "none" \(from .*\.cli\.yaml:2\) is not allowed; allowed: a whole number/,
  });
  writeFileSync(file, 'server: [\n');
  await assert.rejects(readSettings(at), { message: /^error reading configuration file: .*\.cli\.yaml:\d+:\d+: / });
});

test('reports a misspelt key of a plugin when the plugin reads its keys', async () => {
  const home = scratchFolder();
  const file = join(home, '.cli.yaml');
  writeFileSync(file, 'local:\n  symlink_suport: true\n  skip_non_regular_file: true\n  else: 1\nmetastore:\n  type: glue\n');
  const { warnings } = await readSettings({ env: {}, home, cwd: home });
  assert.deepEqual(warnings, [`unknown key local.skip_non_regular_file in ${file}:3; did you mean local.skip_non_regular_files?`]);
  const told: string[] = [];
  const section = defineConfig({ plugin: 'linked', keys: { 'local.symlink_support': key.bool({ default: false, meaning: 'x' }) } });
  await readSection(section, { file, env: {}, warn: line => void told.push(line) });
  assert.deepEqual(told, [`unknown key local.symlink_suport in ${file}:2; did you mean local.symlink_support?`]);
});

test('keys, types and defaults are those of the specification', () => {
  const spec = readFileSync(fixture('spec-cli-keys.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'));
  const ours = referenceRows([cliConfig]).map(row => [row.key, normalType(row.type), normalDefault(row.default)]);
  assert.deepEqual(
    ours,
    spec.map(([key, type = '', preset = '']) => [key, normalType(type), normalDefault(preset)]),
  );
});
