import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkDependencies } from '../dependencies/check.js';
import { writeReferences } from '../dependencies/write-references.js';
import { project, withWorkspace, writeTree } from './workspace.js';
import type { PackageSpec } from './workspace.js';

const kernel: PackageSpec = { layer: 'kernel', exports: { '.': './dist/src/index.js', './testing': './dist/src/testing.js' } };

/** A plugin in `plugins/one` that depends on the kernel. */
function one(files: Record<string, string>, rest: Partial<PackageSpec> = {}): Record<string, PackageSpec> {
  return { kernel, 'plugins/one': { layer: 'features', dependencies: ['@srv/kernel'], files, ...rest } };
}

const violations = (packages: Record<string, PackageSpec>, rootFiles?: Record<string, string>): string[] =>
  withWorkspace(packages, checkDependencies, rootFiles);

describe('imports', () => {
  it('declared packages, built-ins and own files are right', () => {
    const files = {
      'src/a.ts': "import 'node:fs';\nimport { k } from '@srv/kernel';\nimport './b.js';",
      'test/a.test.ts': "import 'shared-tool';\nimport '../src/a.js';\nimport '@srv/kernel/testing';",
    };
    assert.deepEqual(violations(one(files)), []);
  });

  it('reports an undeclared package with file and line', () => {
    assert.deepEqual(violations(one({ 'src/a.ts': "\nimport x from '@scope/x/deep.js';" })), [
      'plugins/one/src/a.ts:2: @scope/x is not declared in plugins/one/package.json',
    ]);
  });

  it('shared tools and development dependencies are for tests', () => {
    const files = { 'src/a.ts': "import 'shared-tool';\nimport 'dev';", 'test/a.ts': "import 'dev';" };
    assert.deepEqual(violations(one(files, { devDependencies: ['dev'] })), [
      'plugins/one/src/a.ts:1: shared-tool is not declared in plugins/one/package.json',
      'plugins/one/src/a.ts:2: dev is a development dependency; what ships needs it in "dependencies"',
    ]);
  });

  it('development dependencies are for sources, too, of which only a bundle is published', () => {
    const files = { 'src/a.ts': "import 'dev';", 'page/a.ts': "import 'dev';\nimport 'other';" };
    assert.deepEqual(violations(one(files, { devDependencies: ['dev'], published: ['dist/src', 'dist/bundle'] })), [
      'plugins/one/page/a.ts:2: other is not declared in plugins/one/package.json',
      'plugins/one/src/a.ts:1: dev is a development dependency; what ships needs it in "dependencies"',
    ]);
  });

  it("the workspace's packages are not shared tools: tests declare them", () => {
    const packages = { ...one({ 'test/a.ts': "import '@srv/two';" }), 'plugins/two': { layer: 'ground', exports: { '.': './x.js' } } };
    assert.deepEqual(violations(packages), ['plugins/one/test/a.ts:1: @srv/two is not declared in plugins/one/package.json']);
  });

  it('a name with # must be in the own package.json', () => {
    const found = violations(one({ 'src/a.ts': "import '#named';" }), { 'test/tsconfig.json': '{}', 'test/a.ts': "import '#named';" });
    assert.deepEqual(found, ['plugins/one/src/a.ts:1: #named names no package and no file of this package']);
  });

  it('plugins of one layer know each other by types only; libraries and lower layers are open', () => {
    const spec = {
      layer: 'features',
      dependencies: ['@srv/kernel', '@srv/two', '@srv/lib'],
    } as const;
    const packages = {
      kernel,
      'plugins/one': {
        ...spec,
        plugin: true,
        files: {
          'src/a.ts': "import type { T } from '@srv/two';\nimport { v } from '@srv/two';\nimport { l } from '@srv/lib';",
          'test/a.ts': "import { v } from '@srv/two';",
        },
      },
      'plugins/two': { layer: 'features', plugin: true, exports: { '.': './x.js' } },
      'plugins/lib': { layer: 'libraries', exports: { '.': './x.js' } },
    };
    assert.deepEqual(violations(packages), [
      'plugins/one/src/a.ts:2: @srv/two is a plugin of the same layer: ask for its service, or move what both need to a library',
    ]);
  });

  it('a path out of the package and a test file in what ships are refused', () => {
    const files = { 'src/a.ts': "import '../../two/src/b.js';\nimport '../test/a.js';", 'test/a.ts': '' };
    assert.deepEqual(violations(one(files)), [
      'plugins/one/src/a.ts:1: ../../two/src/b.js leaves the package: import it by its package name',
      "plugins/one/src/a.ts:2: ../test/a.js is a test's file, which is not shipped",
    ]);
  });

  it('only what is exported may be imported, in tests too', () => {
    const files = { 'src/a.ts': "import '@srv/kernel/dist/src/x.js';", 'test/a.ts': "import '@srv/kernel/src/x.js';" };
    assert.deepEqual(violations(one(files)), [
      'plugins/one/src/a.ts:1: @srv/kernel/dist/src/x.js goes past the exports of @srv/kernel: ., ./testing',
      'plugins/one/test/a.ts:1: @srv/kernel/src/x.js goes past the exports of @srv/kernel: ., ./testing',
    ]);
  });

  it('a package without exports offers nothing, except its classes to tests that declare it', () => {
    const ground: PackageSpec = { layer: 'ground' };
    const files = { 'src/a.ts': "import '@srv/mem';", 'test/a.ts': "import '@srv/mem/dist/src/store.js';" };
    const packages = { ...one(files, { dependencies: ['@srv/mem'] }), 'plugins/mem': ground };
    assert.deepEqual(violations(packages), ['plugins/one/src/a.ts:1: @srv/mem has no "exports": it offers nothing to import']);
  });
});

describe('layers', () => {
  const target = (layer: string): PackageSpec => ({ layer, exports: { './contract': './dist/src/contract.js' } });
  const importing = (layer: string): Record<string, PackageSpec> => ({
    ...one({ 'src/a.ts': "import '@srv/two/contract';" }, { dependencies: ['@srv/two'] }),
    'plugins/two': target(layer),
  });

  it('downward and to the same layer is right', () => {
    assert.deepEqual(violations(importing('ground')), []);
    assert.deepEqual(violations(importing('features')), []);
  });

  it('upward is refused', () => {
    assert.deepEqual(violations(importing('faces')), [
      'plugins/one/src/a.ts:1: @srv/two is above (faces): imports go down, and @srv/one is in features',
    ]);
  });

  it('a package without a known layer is refused', () => {
    assert.throws(() => violations(importing('cellar')), /plugins\/two\/package\.json: "srv\.layer" must be one of .*, not cellar/);
  });
});

describe('compiler references', () => {
  /** What the check reports once the references of a project have been taken away, and what a program writes instead. */
  const rewritten = (packages: Record<string, PackageSpec>, file: string, rootFiles?: Record<string, string>): readonly unknown[] =>
    withWorkspace(
      packages,
      root => {
        writeTree(root, { [file]: project });
        const found = checkDependencies(root).filter(line => line.includes('"references"'));
        assert.deepEqual(writeReferences(root), [file]);
        const { references } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { references: readonly { readonly path: string }[] };
        return [found.map(line => line.split(':')[0]), references.map(({ path }) => path)];
      },
      rootFiles,
    );

  it('of a package are the packages it declares, and the projects inside it that do not import it', () => {
    const files = {
      'page/tsconfig.json': project,
      'page/a.ts': "import { b } from '@srv/two';",
      'more/tsconfig.json': project,
      'more/a.ts': "import '../src/a.js';",
      'src/a.ts': '',
    };
    const packages = {
      ...one(files, { devDependencies: ['@srv/two'] }),
      'plugins/two': { layer: 'libraries', exports: { '.': './x.js' } },
    };
    assert.deepEqual(rewritten(packages, 'plugins/one/tsconfig.json'), [['plugins/one/tsconfig.json'], ['../../kernel', '../two', 'page']]);
    assert.deepEqual(rewritten(packages, 'plugins/one/page/tsconfig.json'), [['plugins/one/page/tsconfig.json'], ['../../two']]);
    assert.deepEqual(rewritten(packages, 'plugins/one/more/tsconfig.json'), [['plugins/one/more/tsconfig.json'], ['..']]);
  });

  it('name the project inside a package that a name of its exports leads to', () => {
    const lib = { layer: 'libraries', exports: { './page': './dist/page/index.js' }, files: { 'page/tsconfig.json': project } };
    const packages = { ...one({ 'page/tsconfig.json': project, 'page/a.ts': "import '@srv/two/page';" }), 'plugins/two': lib };
    assert.deepEqual(rewritten(packages, 'plugins/one/page/tsconfig.json')[1], ['../../two/page']);
  });

  it('of the folders of tools are what they import', () => {
    const rootFiles = { 'test/tsconfig.json': project, 'test/a.test.ts': "import '@srv/kernel';\nimport 'shared-tool';" };
    assert.deepEqual(rewritten({ kernel }, 'test/tsconfig.json', rootFiles), [['test/tsconfig.json'], ['../kernel']]);
  });

  it('of the root are all packages and folders of tools', () => {
    const rootFiles = { 'test/tsconfig.json': project };
    assert.deepEqual(rewritten(one({}), 'tsconfig.json', rootFiles), [['tsconfig.json'], ['kernel', 'plugins/one', 'test']]);
  });
});

describe('hooks', () => {
  const declared = `
const hooks = {
  one: new SyncHook(),
  many: new HookMap(() => new SyncHook()),
};`;
  const judged = (code: string, rootFiles?: Record<string, string>): string[] =>
    violations({ ...one({ 'src/a.ts': code }), kernel: { ...kernel, files: { 'src/hooks.ts': declared } } }, rootFiles);
  const told = (line: number, name: string): string[] => [
    `kernel/src/hooks.ts:${line}: nothing calls the hook ${name}: call it or remove it`,
    `kernel/src/hooks.ts:${line}: no package taps the hook ${name}: tap it or remove it`,
  ];

  it('that nothing calls, or no package taps, are reported', () => {
    assert.deepEqual(judged(''), [...told(3, 'one'), ...told(4, 'many')]);
    // Names of other things, text, and what is tapped.
    const others = "one.call(); my.one.tap(); 'hooks.one.tap()'; tappedKeys(kernel.hooks.many); hooks.many.for('x').taps;";
    assert.deepEqual(judged(others), [...told(3, 'one'), ...told(4, 'many')]);
    assert.deepEqual(judged("hooks.one.tap('x', f); hooks.many.get('x')?.call();"), [told(3, 'one')[0], told(4, 'many')[1]]);
  });

  it('of plugins are judged as those of the kernel', () => {
    const packages = { ...one({ 'src/hooks.ts': declared, 'src/a.ts': "hooks.one.call(); hooks.one.tap('x', f);" }), kernel };
    assert.deepEqual(
      violations(packages),
      told(4, 'many').map(text => text.replace('kernel/', 'plugins/one/')),
    );
  });

  it('that are called and tapped are right, in whatever form', () => {
    const tapped = "kernel.hooks.one.tap('a', f); kernel.hooks.many\n  .for(keyOf('a'))\n  .tapPromise({ name: 'a' }, f);";
    assert.deepEqual(judged(`${tapped} hooks.one.call(); const hook = this.#hooks.many.get(key);`), []);
    assert.deepEqual(judged(`${tapped} const f = ({ one }: Pick<Hooks, 'one'>) => one.promise(); open(hooks.many);`), []);
  });

  it('whose comment names a plugin: it uses the hook, or is not there, and the hook with it', () => {
    const documented = declared
      .replace('  one:', '  /** Who: `one`, `removed`. */\n  one:')
      .replace('  many:', '  /** Who: `one`, `…-*`. */\n  many:');
    const packages = { ...one({ 'src/a.ts': '' }), kernel: { ...kernel, files: { 'src/hooks.ts': documented } } };
    assert.deepEqual(violations(packages), [
      ...told(6, 'many'),
      'kernel/src/hooks.ts:6: one does not use the hook many, as its comment says',
    ]);
  });

  it('counts third-party plugins, but not tests', () => {
    const called = "hooks.one.call(); hooks.many.get('a').call();";
    const tapped = "hooks.one.tap('a', f); hooks.many.for('a').tap('a', f);";
    assert.deepEqual(judged(called, { 'test/third-party/plugins/a.ts': tapped }), []);
    assert.deepEqual(judged(called, { 'test/a.ts': tapped }), [told(3, 'one')[1], told(4, 'many')[1]]);
  });
});

describe('waits in tests', () => {
  it('are events, or short', () => {
    const files = {
      'test/a.test.ts': [
        'const pause = 300;',
        'await sleep(200);',
        'await sleep(pause);',
        'await new Promise(resolve => setTimeout(resolve, 100 + random.below(1_000)));',
        'await sleep(199);',
        'setTimeout(() => give(500), 10);',
        'const text = "sleep(300)"; // sleep(300)',
      ].join('\n'),
      'src/a.ts': 'await sleep(5000);',
    };
    assert.deepEqual(
      violations(one(files)).map(line => line.split(';')[0]),
      [
        'plugins/one/test/a.test.ts:2: waits 200 ms',
        'plugins/one/test/a.test.ts:3: waits 300 ms',
        'plugins/one/test/a.test.ts:4: waits 1000 ms',
      ],
    );
  });
});

describe('threads', () => {
  const start = "const thread = new Worker(new URL('./thread.js', import.meta.url));";
  const errors: PackageSpec = { ...kernel, exports: { ...kernel.exports, './errors': './dist/src/errors.js' } };
  const found = (thread: string): string[] =>
    violations({ ...one({ 'src/a.ts': `\n${start}`, 'src/thread.ts': "import './b.js';", 'src/b.ts': thread }), kernel: errors });

  it('load no whole kernel, through other modules either', () => {
    assert.deepEqual(found("import { SrvError } from '@srv/kernel';"), [
      'plugins/one/src/a.ts:2: the thread loads all of the kernel: plugins/one/src/thread.js → plugins/one/src/b.js → kernel/src/index.js',
    ]);
  });

  it('do not end on their own', () => {
    const program = (text: string): string[] => violations({ ...one({ 'src/a.ts': start, 'src/thread.ts': text }), kernel: errors });
    const port = "import { parentPort } from 'node:worker_threads';\n";
    const complaint = ['plugins/one/src/a.ts:1: the thread ends on its own; it must listen, or end with postLast of @srv/kernel/threads'];
    assert.deepEqual(program(`${port}parentPort?.postMessage(1);`), complaint);
    assert.deepEqual(program(`${port}parentPort?.on('message', () => parentPort?.close());`), complaint);
    assert.deepEqual(program("import { workerData } from 'node:worker_threads';\nworkerData.port.postMessage(1);"), complaint);
    assert.deepEqual(program(`${port}parentPort?.on('message', () => parentPort?.postMessage(1));`), []);
    assert.deepEqual(program(`${port}import { postLast } from '@srv/kernel/errors';\npostLast(1);`), []);
    assert.deepEqual(program('export const processesNeedNot = 1;'), []);
  });

  it('may load parts of it, and know its types', () => {
    assert.deepEqual(found("import { SrvError } from '@srv/kernel/errors';\nimport type { Kernel } from '@srv/kernel';"), []);
  });
});

describe('regular expressions', () => {
  it('of what ships are not made of values', () => {
    const files = {
      'src/a.ts': 'const p = "a*";\nnew RegExp(`^${p}$`);\nRegExp(p);\nnew RegExp("^a");\nnew RegExp(`b`, "g");\nnew RegExp("a" + p);',
      'test/a.test.ts': 'const p = "a*";\nnew RegExp(p);',
    };
    const wrong = 'a regular expression made of a value: match globs with @srv/lib-records/glob, expressions of users with re2js';
    assert.deepEqual(
      violations(one(files)),
      [2, 3, 6].map(line => `plugins/one/src/a.ts:${line}: ${wrong}`),
    );
  });

  it('of what ships are not slow on any text', () => {
    const slow = [/(?:a+)+b/, /\/+$/, /^\s*(\w*)\s*;?\s*$/].map(({ source }) => `/${source}/`);
    const quick = [/(?<!\/)\/+$/, /^\w+(?:\.\w+)*$/, /^a*b*$/].map(({ source }) => `/${source}/`);
    const found = violations(one({ 'src/a.ts': [...slow, ...quick].map((literal, i) => `const r${i} = ${literal};`).join('\n') }));
    assert.deepEqual(
      found.map(line => line.split(' takes ')[0]),
      slow.map((literal, i) => `plugins/one/src/a.ts:${i + 1}: ${literal}`),
    );
    assert.match(found[0] ?? '', /exponential/);
  });
});

it('streams of files have listeners for their errors', () => {
  const heard = [
    "createReadStream('a').on('error', () => {});",
    "await pipeline(createReadStream('a'), createWriteStream('b'));",
    "for await (const chunk of createReadStream('a')) f(chunk);",
    "{ const s = createReadStream('a'); for await (const line of createInterface({ input: s })) f(line); }",
    "const log = b ? createWriteStream('a') : undefined; log?.on('error', f);",
  ];
  const unheard = ["f(createReadStream('a'));", "const out = createWriteStream('a'); out.write('x'); await finished(out);"];
  const found = violations(one({ 'src/a.ts': [...unheard, ...heard].join('\n') }));
  assert.deepEqual(
    found.map(line => /^(.*?): nothing listens to errors/.exec(line)?.[1]),
    unheard.map((_, i) => `plugins/one/src/a.ts:${i + 1}`),
  );
});

it('getters belong to classes, not to object literals', () => {
  const right = [
    'class A { get a(): number { return 1; } b = { get: 1, set(c: number) {} }; set d(e: number) {} }',
    'const f = () => class extends A { get a() { return 2; } };',
    'interface B { get a(): number; }',
    'const get = (a: number) => { if (a > 1) { get(a); } };',
  ];
  const wrong = ['const o = { a: 1, get b() { return 1; } };', 'class C { m() { return { set n(a: number) {} }; } }'];
  const found = violations(one({ 'src/a.ts': [...wrong, ...right].join('\n') }));
  assert.deepEqual(
    found.map(line => /^(.*?): a getter of an object literal/.exec(line)?.[1]),
    wrong.map((_, i) => `plugins/one/src/a.ts:${i + 1}`),
  );
});

describe('bounds', () => {
  const bound = '/** @bound things kept */\nconst most = 5;\n';
  const test = "it('beyond most: the rest goes', () => {});";
  const table = [
    '| what is kept | bound | where | exceeded by |',
    '|---|---|---|---|',
    '| things kept | `most = 5` | src/a.ts | test/a.test.ts |',
  ].join('\n');

  it('that are tested and listed are right', () => {
    assert.deepEqual(violations(one({ 'src/a.ts': bound, 'test/a.test.ts': test, 'README.md': `# One\n\n${table}\n` })), []);
  });

  it('need a test', () => {
    const found = violations(one({ 'src/a.ts': bound, 'test/a.test.ts': test.replace('most', 'least'), 'README.md': table }));
    assert.match(found[0] ?? '', /^plugins\/one\/src\/a\.ts:1: no test of the package has a title that begins with "beyond most:"$/);
  });

  it('are in the README as they are', () => {
    const files = { 'src/a.ts': bound.replace('5', '6'), 'test/a.test.ts': test, 'README.md': table };
    assert.match(violations(one(files)).join('\n'), /^plugins\/one\/README\.md:1: the table of bounds is not that of the code: .*--write$/);
  });

  it('of caches are reported', () => {
    assert.deepEqual(violations(one({ 'src/a.ts': 'const kept = new LRUCache({ max: 5 });' })), [
      'plugins/one/src/a.ts:1: what this cache keeps is bounded by a value without @bound in its doc comment',
    ]);
  });
});
