/**
 * Every plugin switched off alone: the server refuses with a sentence that names the plugin that needs it, or it runs and what does not
 * need the plugin works.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serverAddress } from '@srv/cli/dist/src/srv/server-address.js';
import { serverKernel } from '@srv/cli/dist/src/srv/server-kernel.js';
import { createClient } from '@srv/engine/client';
import { spent } from '@srv/kernel/testing';
import { launchServer, launchSrv, temporaryFolder, untilUp } from './programs.js';

interface ListedPlugin {
  readonly name: string;
  readonly hooks: readonly string[];
}

const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const settings = {
  SRV_INSTALLATION_USER_NAME: 'admin',
  SRV_INSTALLATION_ACCESS_KEY_ID: key.accessKeyId,
  SRV_INSTALLATION_SECRET_ACCESS_KEY: key.secretAccessKey,
};

/** Plugins without which this server cannot start, though none requires them by name: they open what is configured. */
const openers: Readonly<Record<string, RegExp>> = {
  'kv-local': /database\.type: "local" is opened by the plugin kv-local, which is switched off/,
  'block-local': /blockstore\.type: "local" is opened by the plugin block-local, which is switched off/,
};
/** Without one of them a server runs, but listens on no port or answers no operation. */
const faces = ['http', 'api'];
/** Without it there are neither local settings nor files and variables to read the switch from. */
const first = ['config'];
/**
 * Of each outcome one: a program that starts without them, or ends. Of the others the same kernel is started in this process, which
 * takes a quarter of the time.
 */
const asPrograms = ['kv-local', 'engine', 'gateway-s3'];

describe('with one plugin switched off', async () => {
  const root = temporaryFolder({ after });
  let plugins: readonly ListedPlugin[] = [];
  before(async () => {
    const { stdout } = await launchSrv(root, ['plugins', 'list', '-o', 'json']).finished;
    plugins = (JSON.parse(stdout) as ListedPlugin[]).filter(({ name, hooks }) => hooks.length > 0 && !first.includes(name));
  });

  it('the server runs what does not need it, or names the plugin that does', async t => {
    assert.ok(plugins.length > 15, 'the plugins were listed');
    for (const { name } of plugins) {
      await t.test(name, async () => {
        const home = temporaryFolder(t);
        const env = { ...settings, SRV_PLUGINS_DISABLED: name };
        const server = asPrograms.includes(name) ? startProgram(home, env) : startKernel(home, env);
        const outcome = await outcomeOf(server);
        try {
          if (openers[name]) assert.match(outcome.refusal ?? 'it started', openers[name]);
          else if (outcome.refusal !== undefined) {
            const needed = new RegExp(
              `plugin [a-z0-9-]+ requires ${name}, which is disabled by plugins\\.disabled; enable ${name} or disable [a-z0-9-]+ too|` +
                `plugins [a-z0-9, -]+ require ${name}, directly or through one another, and it is disabled by plugins\\.disabled; enable ${name} or disable them too: ${name}, [a-z0-9, -]+`,
            );
            assert.match(outcome.refusal, needed);
          } else if (!faces.includes(name)) {
            await firstSteps(outcome.url);
            await hasNoPagePart(outcome.url, name);
          }
        } finally {
          await server.end();
        }
      });
    }
  });
});

type Outcome = { readonly refusal: string; readonly url?: never } | { readonly refusal?: never; readonly url: string };

interface StartingServer {
  /** The URL it is reached at; `''` when it listens on no port. */
  readonly up: Promise<string>;
  end(): Promise<unknown>;
}

/** `srv run --local-settings`. */
function startProgram(home: string, env: Readonly<Record<string, string>>): StartingServer {
  const server = launchServer(home, '127.0.0.1:0', env);
  return { up: untilUp(server), end: () => server.end('SIGKILL') };
}

/** The kernel of that program, in this process. */
function startKernel(home: string, env: Readonly<Record<string, string>>): StartingServer {
  // Default paths are below the home folder of the process.
  process.env['HOME'] = home;
  const all = { HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0', SRV_COMMITTED_WARM_UP: 'false', SRV_LOGGING_LEVEL: 'ERROR', ...env };
  const kernel = serverKernel({ localSettings: true }, { env: all, home, cwd: home });
  const begin = async (): Promise<string> => {
    await kernel.load();
    await kernel.prepare();
    await kernel.configure();
    await spent('servers', () => kernel.start());
    return serverAddress(kernel)?.url ?? '';
  };
  return { up: begin(), end: () => kernel.stop() };
}

async function outcomeOf({ up }: StartingServer): Promise<Outcome> {
  try {
    return { url: await up };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

/** The web page offers nothing of the plugin. */
async function hasNoPagePart(url: string, name: string): Promise<void> {
  const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  assert.ok(!page.includes(`"plugin":"${name}"`), `the page has a part of ${name}`);
}

/** What every server can do, whatever is switched off. */
async function firstSteps(url: string): Promise<void> {
  const client = createClient({ endpointUrl: url, retries: { enabled: false }, ...key });
  try {
    const main = { repository: 'lakes', branch: 'main' };
    await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await client.uploadObject({ ...main, path: 'a', body: 'content' });
    await client.commit({ ...main, body: { message: 'first' } });
    const { body } = await client.getObject({ repository: 'lakes', ref: 'main', path: 'a' });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'content');
  } finally {
    client.close();
  }
}
