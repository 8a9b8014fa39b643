import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kernel, findPlugins, layerOf, orderPlugins, selectPlugins } from '../src/index.js';
import { scratchFolder } from '../src/testing/index.js';
import { inline, testKernel, writePackage } from './packages.js';
import type { Manifest } from '../src/index.js';

const manifest = (name: string, requires: readonly string[] = [], bootstrap = false): Manifest => ({
  name,
  version: '1.0.0',
  origin: 'built-in',
  folder: `/p/${name}`,
  requires,
  after: [],
  bootstrap,
  layer: layerOf(undefined),
  entries: {},
});
const names = (manifests: readonly Manifest[]): string[] => manifests.map(m => m.name);
const plugin = (message: RegExp) => ({ name: 'SrvError', code: 'plugin', message });

test('lower layers come first, so that faces stop first', () => {
  const at = (name: string, layer: string, requires: readonly string[] = []): Manifest => ({
    ...manifest(name, requires),
    layer: layerOf(layer),
  });
  const given = [at('http', 'faces'), at('kv', 'ground'), manifest('other'), at('catalog', 'engine', ['late']), at('late', 'faces')];
  assert.deepEqual(names(orderPlugins(given)), ['kv', 'late', 'catalog', 'other', 'http']);
});

test('requirements come first, otherwise the order given stays', () => {
  assert.deepEqual(names(orderPlugins([manifest('c', ['b']), manifest('d'), manifest('b', ['a']), manifest('a')])), ['a', 'b', 'c', 'd']);
});

test('a missing requirement and a circle are named', () => {
  assert.throws(() => orderPlugins([manifest('a', ['z'])]), plugin(/^plugin a requires z, which is not installed$/));
  assert.throws(
    () => orderPlugins([manifest('x', ['a']), manifest('a', ['b']), manifest('b', ['a'])]),
    plugin(/in a circle: a -> b -> a$/),
  );
});

test('switches: unknown names suggest the nearest', () => {
  const some = [manifest('actions'), manifest('ui')];
  assert.throws(
    () => selectPlugins(some, { disabled: ['action'], enabled: [] }),
    plugin(/^plugins\.disabled: unknown plugin action; did you mean actions\? Known: actions, ui$/),
  );
  assert.throws(
    () => selectPlugins(some, { disabled: [], enabled: ['nonsense'] }),
    plugin(/^plugins\.enabled: unknown plugin nonsense\. Known: actions, ui$/),
  );
});

test('switches: a disabled plugin that another requires is an error that names both', () => {
  const some = [manifest('ui', ['http']), manifest('http')];
  assert.throws(
    () => selectPlugins(some, { disabled: ['http'], enabled: [] }),
    plugin(/plugin ui requires http, which is disabled by plugins\.disabled; enable http or disable ui too/),
  );
  assert.throws(
    () => selectPlugins(some, { disabled: [], enabled: ['ui'] }),
    plugin(/plugin ui requires http, which is not in plugins\.enabled/),
  );
  assert.deepEqual(
    selectPlugins(some, { disabled: ['http', 'ui'], enabled: [] }).map(s => s.offBecause),
    ['disabled by plugins.disabled', 'disabled by plugins.disabled'],
  );
});

test('switches: all that require a disabled plugin, through one another too, are named at once', () => {
  const some = [manifest('http'), manifest('api', ['http']), manifest('ui', ['api']), manifest('gc')];
  const [, disabled = ''] = (() => {
    try {
      selectPlugins(some, { disabled: ['http'], enabled: [] });
      return [];
    } catch (error) {
      return (
        /^plugins api, ui require http, directly or through one another, .*; enable http or disable them too: (.*)$/.exec(
          String((error as Error).message),
        ) ?? []
      );
    }
  })();
  // What the message proposes works.
  const off = selectPlugins(some, { disabled: disabled.split(', '), enabled: [] }).filter(s => s.offBecause !== undefined);
  assert.deepEqual(
    off.map(s => s.manifest.name),
    ['http', 'api', 'ui'],
  );
});

test('switches: plugins without a part for this program may be switched', () => {
  assert.deepEqual(
    selectPlugins([manifest('ui')], { disabled: ['local'], enabled: [] }, ['local']).map(s => s.manifest.name),
    ['ui'],
  );
});

test('switches: an allow-list leaves the rest out, except bootstrap plugins', () => {
  const selected = selectPlugins([manifest('config', [], true), manifest('ui'), manifest('http')], { disabled: [], enabled: ['http'] });
  assert.deepEqual(
    selected.map(s => [s.manifest.name, s.offBecause]),
    [
      ['config', undefined],
      ['ui', 'not in plugins.enabled'],
      ['http', undefined],
    ],
  );
});

test('packages are found in folders, node_modules and scopes, each once', () => {
  const root = scratchFolder();
  const [builtIn, modules] = [join(root, 'plugins'), join(root, 'node_modules')];
  const first = writePackage(builtIn, 'first');
  writePackage(join(modules, '@x'), 'scoped');
  writePackage(modules, 'plain');
  mkdirSync(join(modules, 'other'));
  writeFileSync(join(modules, 'other', 'package.json'), '{"name":"other"}');
  symlinkSync(first, join(modules, 'linked'));
  const { manifests, broken } = findPlugins({
    builtIn: [builtIn, join(root, 'absent')],
    modules: [modules],
    paths: [writePackage(root, 'extra')],
  });
  assert.deepEqual(
    manifests.map(m => [m.name, m.origin]),
    [
      ['first', 'built-in'],
      ['scoped', 'package'],
      ['plain', 'package'],
      ['extra', 'path'],
    ],
  );
  assert.equal(manifests[0]?.version, '1.2.3');
  assert.deepEqual(broken, []);
});

test('two packages of one name are refused', () => {
  const root = scratchFolder();
  writePackage(join(root, 'a'), 'same');
  writePackage(join(root, 'b'), 'same');
  assert.throws(
    () => findPlugins({ builtIn: [join(root, 'a'), join(root, 'b')], modules: [], paths: [] }),
    plugin(/^two plugins are named same: .*\/a\/same and .*\/b\/same; remove or rename one$/),
  );
});

test('a broken package is reported, and fatal only when it was asked for by path', () => {
  const root = scratchFolder();
  const broken: readonly [name: string, srv: unknown, reason: RegExp][] = [
    ['no-version', { name: 'x' }, /"srv\.api" is missing; a plugin made for this kernel says "api": 1/],
    ['other-version', { api: 2, name: 'x' }, /made for version 2 of the plugin contract, and this kernel offers version 1/],
    ['misspelt', { api: 1, name: 'x', require: [] }, /"srv\.require" is not a member of the manifest; did you mean "requires"\?/],
    ['bad-entry', { api: 1, name: 'x', server: 5 }, /"srv\.server" must be the name of a file/],
    ['bad-name', { api: 1, name: 'Bad Name' }, /"srv\.name" must be lower-case letters, digits and dashes/],
    ['bad-requires', { api: 1, name: 'x', requires: 'y' }, /"srv\.requires" must be a list of plugin names/],
    ['no-member', 5, /lacks the "srv" member/],
  ];
  for (const [name, srv] of broken) writePackage(root, name, { srv });
  const found = findPlugins({ builtIn: [root], modules: [], paths: [] });
  assert.equal(found.manifests.length, 0);
  for (const [name, , reason] of broken) assert.match(found.broken.find(b => b.folder.endsWith(name))?.reason ?? '', reason);
  for (const [name, , reason] of broken)
    assert.throws(() => findPlugins({ builtIn: [], modules: [], paths: [join(root, name)] }), plugin(reason));
  assert.throws(
    () => findPlugins({ builtIn: [], modules: [], paths: [join(root, 'nowhere')] }),
    plugin(/^plugins\.paths: .*nowhere cannot be used as a plugin: /),
  );
});

test('reports a manifest that is not JSON, unless it does not belong to a plugin', () => {
  const root = scratchFolder();
  for (const [name, text] of [
    ['cut', '{"keywords": ["srv-plugin"], "srv": {'],
    ['other', '{"keywords": ["other"], "srv": {'],
  ] as const) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'package.json'), text);
  }
  const { manifests, broken } = findPlugins({ builtIn: [root], modules: [], paths: [] });
  assert.deepEqual([manifests, broken.map(({ folder }) => folder)], [[], [join(root, 'cut')]]);
  assert.match(broken[0]?.reason ?? '', /^package\.json is not valid JSON: /);
});

test('a manifest of any length is read', () => {
  const root = scratchFolder();
  writePackage(root, 'long', { srv: { api: 1, name: 'long', requires: Array.from({ length: 10_000 }, (_, i) => `name-${i}`) } });
  assert.equal(findPlugins({ builtIn: [root], modules: [], paths: [] }).manifests[0]?.requires.length, 10_000);
});

test('the kernel loads packages, and names one that cannot be loaded', async () => {
  const root = scratchFolder();
  writePackage(root, 'b', { requires: ['a'] });
  writePackage(root, 'a', {
    server: `export default { name: 'a', apply(kernel) { kernel.hooks.start.tapPromise('a', async () => {}); } };`,
  });
  const kernel = await testKernel([], { places: { builtIn: [root] } }).load();
  assert.deepEqual(
    kernel.plugins.map(p => p.manifest.name),
    ['a', 'b'],
  );
  assert.deepEqual(kernel.wiring(), { start: ['a'] });

  const load = (source: string): Promise<Kernel> => {
    const place = scratchFolder();
    writePackage(place, 'bad', { server: source });
    return testKernel([], { places: { builtIn: [place] } }).load();
  };
  await assert.rejects(
    load('throw new Error("top level")'),
    plugin(/^plugin bad cannot be loaded from .*server\.mjs: top level \(at .*server\.mjs:1:7\)$/),
  );
  await assert.rejects(load('export const x = 1;'), plugin(/^plugin bad cannot be loaded from .*: it has no default export$/));
  await assert.rejects(
    load('export default { name: "other", apply() {} };'),
    plugin(/^plugin bad \(.*\) calls itself other; both names must be equal$/),
  );
});

test('switches and further paths come from the configuration that a bootstrap plugin supplies', async () => {
  const root = scratchFolder();
  const extra = writePackage(scratchFolder(), 'extra');
  const entries = [
    { key: 'plugins.disabled', raw: 'ui', source: 'test' },
    { key: 'plugins.paths', raw: [extra], source: 'test' },
  ];
  const source = `export default { name: 'config', apply({ hooks }) { hooks.configSources.tapPromise('config', async e => [...e, ...${JSON.stringify(entries)}]); } };`;
  writePackage(root, 'config', { bootstrap: true, server: source });
  writePackage(root, 'ui', {
    server: 'throw new Error("a disabled plugin is not loaded")',
    config: `export default { plugin: 'ui', keys: {} };`,
  });
  const kernel = await new Kernel({ part: 'server', places: { builtIn: [root] }, env: {} }).load();
  assert.deepEqual(
    kernel.plugins.map(p => [p.manifest.name, p.offBecause ?? 'on']),
    [
      ['config', 'on'],
      ['extra', 'on'],
      ['ui', 'disabled by plugins.disabled'],
    ],
  );
  assert.ok(
    kernel.sections.some(s => s.plugin === 'ui'),
    'keys of a disabled plugin stay known',
  );
});

test('the command-line kernel loads command-line parts only', async () => {
  const root = scratchFolder();
  writePackage(root, 'both', {
    requires: ['server-only'],
    server: 'throw new Error("not here")',
    cli: `export default { name: 'both', apply() {} };`,
  });
  writePackage(root, 'server-only', { server: 'throw new Error("not here")' });
  const kernel = await new Kernel({ part: 'cli', places: { builtIn: [root] }, switches: {} }).load();
  assert.deepEqual(
    kernel.plugins.map(p => p.manifest.name),
    ['both'],
  );
});

test('inline plugins are ordered like packages', async () => {
  const kernel = await testKernel([inline('b', undefined, ['a']), inline('a')]).load();
  assert.deepEqual(
    kernel.plugins.map(p => p.manifest.name),
    ['a', 'b'],
  );
});
