/** Programs run from bundles: nothing is loaded twice, and a bundle that is not of the present code is not used. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bundleFolder, factsFile, freshBundle, stampOf } from '@srv/cli/dist/src/fresh-bundle.js';
import { RunningProcess } from './processes.js';
import { cliProgram, launchServer, srvProgram, temporaryFolder, untilUp } from './programs.js';
import type { BundleFacts, Program } from '@srv/cli/dist/src/fresh-bundle.js';

/** Says what modules of the product it gets, against those that run. */
const witness = `
import { SrvError, definePlugin } from '@srv/kernel';
import { PageCursor } from '@srv/engine/tables/page-cursor';
import engineConfig from '@srv/engine/config';
const said = (what, holds) => { if (!holds) throw new Error('a second copy of ' + what); };
export default definePlugin({
  name: 'witness',
  apply(kernel) {
    said('a class', typeof PageCursor.open === 'function');
    kernel.hooks.start.tap('witness', () => {
      said('the keys', typeof kernel.config.values(engineConfig.keys)['committed.warm_up'] === 'boolean');
      try {
        kernel.services.get('missing');
      } catch (error) {
        said('the kernel', error instanceof SrvError);
      }
      throw new SrvError('invalid', 'one of each');
    });
  },
});`;

function installWitness(home: string): string {
  const folder = join(home, 'witness');
  mkdirSync(folder);
  writeFileSync(join(folder, 'plugin.js'), witness);
  const srv = { api: 1, name: 'witness', after: ['engine'], server: './plugin.js' };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'witness', version: '1.0.0', type: 'module', keywords: ['srv-plugin'], srv }),
  );
  return folder;
}

describe('bundles', () => {
  for (const program of ['cli', 'srv'] satisfies readonly Program[]) {
    it(`${program} has one, made of what was compiled last`, () => {
      assert.equal(freshBundle(program), join(bundleFolder(program), 'main.js'), 'npm run build makes a new one');
      const { stamps } = JSON.parse(readFileSync(join(bundleFolder(program), factsFile), 'utf8')) as BundleFacts;
      assert.ok(Object.keys(stamps).length >= 5);
      for (const [file, stamp] of Object.entries(stamps)) assert.equal(stampOf(file), stamp, file);
    });
  }

  it('cli loads no large module of Node.js that its command does not use', async t => {
    const home = temporaryFolder(t);
    const report = join(home, 'report.cjs');
    writeFileSync(report, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
    const { stderr } = await new RunningProcess(cliProgram, ['branch', 'list', '--help'], {
      cwd: home,
      env: { HOME: home, NODE_OPTIONS: `--require ${report}` },
    }).finished;
    const loaded = new Set(stderr.split('\n').map(line => line.replace('NativeModule ', '')));
    assert.ok(loaded.has('fs'), stderr.slice(0, 1000));
    for (const large of ['crypto', 'http', 'https', 'internal/deps/undici/undici', 'repl', 'tls', 'worker_threads', 'zlib'])
      assert.ok(!loaded.has(large), large);
  });

  it('a command of a plugin and its operations come from the bundle, over HTTP without TLS', async t => {
    const home = temporaryFolder(t);
    const report = join(home, 'report.cjs');
    writeFileSync(report, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
    const loads = watchLoads(home, 'cli');
    const { code, stderr } = await new RunningProcess(cliProgram, ['pr', 'list', 'srv://repo'], {
      cwd: home,
      env: {
        HOME: home,
        CLI_SERVER_ENDPOINT_URL: 'http://127.0.0.1:1',
        CLI_SERVER_RETRIES_ENABLED: 'false',
        CLI_CREDENTIALS_ACCESS_KEY_ID: 'key',
        CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'secret',
        NODE_OPTIONS: `${loads.env.NODE_OPTIONS} --require ${report}`,
      },
    }).finished;
    assert.equal(code, 6, 'the operation is known, and the server cannot be reached');
    assert.match(stderr, /ECONNREFUSED/);
    assert.deepEqual(loads.besideBundle(stderr), []);
    const builtIn = new Set(stderr.split('\n').map(line => line.replace('NativeModule ', '')));
    assert.ok(builtIn.has('http'));
    assert.ok(!builtIn.has('tls'));
  });

  it('plugins from outside get the modules that run', async t => {
    const home = temporaryFolder(t);
    const loads = watchLoads(home);
    const server = launchServer(home, '127.0.0.1:0', { SRV_PLUGINS_PATHS: installWitness(home), ...loads.env });
    const { code, stderr } = await server.finished;
    assert.match(stderr, /one of each/);
    assert.equal(code, 1);
    assert.deepEqual(loads.besideBundle(stderr), []);
  });

  it('the server loads modules of its own from the bundle alone', async t => {
    const home = temporaryFolder(t);
    const loads = watchLoads(home);
    const server = new RunningProcess(srvProgram, ['run', '--local-settings'], {
      cwd: home,
      env: { HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0', ...loads.env },
    });
    t.after(() => server.end('SIGKILL'));
    await untilUp(server);
    const { stderr } = await server.end('SIGKILL');
    assert.deepEqual(loads.besideBundle(stderr), []);
  });
});

/** Has a program report what it loads, apart from its threads, which are loaded beside the bundle. */
function watchLoads(home: string, program: Program = 'srv') {
  const watch = join(home, 'watch.mjs');
  const hooks = `export async function load(url, context, next) { console.error('loads ' + url); return next(url, context); }`;
  const begin = `if (isMainThread) register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  writeFileSync(watch, `import { register } from 'node:module'; import { isMainThread } from 'node:worker_threads'; ${begin}`);
  return {
    env: { NODE_OPTIONS: `--import ${watch}` },
    /** Modules of the product that are not of the bundle. */
    besideBundle(stderr: string): string[] {
      const loaded = stderr.split('\n').flatMap(line => /^loads (file:\S+)/.exec(line)?.[1] ?? []);
      const started = program === 'srv' ? '/dist/bundle-srv/' : '/bin/cli.js';
      assert.ok(
        loaded.some(url => url.includes(started)),
        stderr,
      );
      return loaded.filter(url => /\/(?:kernel|plugins\/[^/]+)\/dist\/src\//.test(url));
    },
  };
}
