import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Config, Kernel, key } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { environmentEntries } from '../src/server/environment.js';
import { findConfigFile, readConfigFile } from '../src/server/file.js';
import plugin from '../src/server/index.js';
import { contextOf, someKeys } from './context.js';

test('the first file of the search order wins', () => {
  const context = contextOf({ cwd: scratchFolder() });
  const label = (): string | undefined => findConfigFile(context)?.label;
  const order = [
    [join(context.home, '.srv.yaml'), '~/.srv.yaml'],
    [join(context.home, 'srv', 'config.yaml'), '~/srv/config.yaml'],
    [join(context.cwd, 'config.yaml'), 'config.yaml'],
  ] as const;
  assert.equal(label(), undefined);
  mkdirSync(join(context.home, 'srv'));
  for (const [path, expected] of order) {
    writeFileSync(path, 'listen_address: ":1"\n');
    assert.equal(label(), expected);
  }
});

test('a file named by --config must exist and be readable', () => {
  assert.throws(() => findConfigFile(contextOf({ flags: { config: 'none.yaml' } })), {
    code: 'config',
    message: '--config none.yaml: no such file',
  });
  const context = contextOf();
  mkdirSync(join(context.cwd, 'dir.yaml'));
  const found = findConfigFile({ ...context, flags: { config: 'dir.yaml' } });
  assert.ok(found);
  assert.throws(() => readConfigFile(found, context), { code: 'config', message: /^dir\.yaml: the configuration file cannot be read: / });
});

test('variables: empty is unset, aliases count, the proper name wins', () => {
  const context = contextOf({
    env: {
      SRV_LOGGING_LEVEL: '',
      SRV_CACHE_REPOSIORY_TTL: '1s',
      SRV_CACHE_REPOSITORY_TTL: '2s',
      SRV_LOGGING_OUTPUT: '["-","a,b"]',
    },
  });
  const config = Config.create([{ plugin: 'x', keys: someKeys }], environmentEntries(context));
  const values = config.values(someKeys);
  assert.equal(values['logging.level'], 'INFO');
  assert.equal(values['cache.reposiory.ttl'], 1000);
  assert.equal(config.sourceOf('cache.reposiory.ttl'), 'SRV_CACHE_REPOSIORY_TTL');
  assert.deepEqual(values['logging.output'], ['-', 'a,b']);
});

test('flags beat the environment, which beats the file', async () => {
  const home = scratchFolder();
  writeFileSync(join(home, 'config.yaml'), 'a: file\nb: file\nc: file\n');
  const keys = {
    a: key.text({ meaning: 'a' }),
    b: key.text({ meaning: 'b' }),
    c: key.text({ meaning: 'c' }),
    'database.type': key.text({ meaning: 'd' }),
  };
  const stores = { 'database.type': 'local', 'blockstore.type': 'mem' };
  const kernel = new Kernel({
    part: 'server',
    cwd: home,
    home,
    env: { SRV_B: 'env', SRV_C: 'env' },
    flags: { c: 'flag', ...stores },
    inline: [{ plugin, section: { plugin: 'config', keys: { a: keys.a, b: keys.b, c: keys.c } } }],
  });
  await kernel.load();
  await kernel.configure();
  const shown = kernel.config.show().filter(({ key: name }) => name in keys);
  assert.deepEqual(shown.slice(0, 3), [
    { key: 'a', value: 'file', source: 'config.yaml:1' },
    { key: 'b', value: 'env', source: 'SRV_B' },
    { key: 'c', value: 'flag', source: '--c' },
  ]);
  assert.equal(kernel.services.get('configOrigin').file, join(home, 'config.yaml'));
});
