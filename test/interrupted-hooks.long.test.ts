/** The power goes off while hooks run: nothing is half done, the runs are reported, and work continues at once. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { startWebhookReceiver } from '@srv/test-servers';
import { hasFeature } from './feature-operations.js';
import { CliHome, launchServer, launchSrv, temporaryFolder, untilUp } from './programs.js';
import { administratorKey, openSharedStores } from './shared-stores.js';
import type { TestContext } from 'node:test';
import type { WebhookReceiver } from '@srv/test-servers';
import type { Finished, RunningProcess } from './processes.js';

interface Run {
  readonly run_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly commit_id: string;
}

const needed = ['actions', 'hook-webhook', 'hook-lua'];
const skipped = needed.every(hasFeature) ? false : `needs ${needed.join(', ')}`;
const reason = 'Error: action failed: the server was gone before the hook ended\n\n';
const main = 'srv://hooks/main';
const branch = { repository: 'hooks', branch: 'main' };

/** What each type of hook needs to call the receiver and wait for it. */
const hookTypes = {
  webhook: (url: string): object => ({ type: 'webhook', properties: { url, timeout: '10m' } }),
  lua: (url: string): object => ({ type: 'lua', properties: { script: `print("asking") print(require("net/http").request("${url}"))` } }),
};

/** An action file with one hook per event. */
function actionFile(event: string, hook: object): string {
  return JSON.stringify({ name: 'ask', on: { [event]: null }, hooks: [{ id: 'receiver', ...hook }] });
}

/** A home with a repository, and a receiver that can hold back its answers. */
class Site extends CliHome {
  readonly receiver: WebhookReceiver;
  readonly #environment: Readonly<Record<string, string>>;
  #server: RunningProcess | undefined;
  #url = '';

  private constructor(home: string, receiver: WebhookReceiver, environment: Readonly<Record<string, string>>) {
    super(home);
    this.receiver = receiver;
    this.#environment = { SRV_ACTIONS_LUA_NET_HTTP_ENABLED: 'true', ...environment };
  }

  static async open(t: TestContext, environment: Readonly<Record<string, string>> = {}): Promise<Site> {
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.close());
    const site = new Site(temporaryFolder(t), receiver, environment);
    t.after(() => site.kill());
    await site.start();
    await site.run('repo', 'create', 'srv://hooks', 'local://hooks');
    return site;
  }

  async start(): Promise<void> {
    this.#server = launchServer(this.home, '127.0.0.1:0', this.#environment);
    this.#url = await untilUp(this.#server);
  }

  /** Ctrl-C. @param meanwhile is called once the server shuts down. */
  async stop(meanwhile: () => void): Promise<Finished> {
    const server = this.#server;
    assert.ok(server);
    const ended = server.end('SIGINT');
    while (!server.stderr.includes('Shutting down')) await sleep(10);
    meanwhile();
    return ended;
  }

  async kill(): Promise<void> {
    await this.#server?.end('SIGKILL');
  }

  async put(path: string, content: string): Promise<void> {
    const file = join(this.home, 'upload');
    await writeFile(file, content);
    await this.run('fs', 'upload', '--source', file, `${main}/${path}`);
  }

  /** Commits without retries. @throws what the server refused. */
  async commit(message: string): Promise<string> {
    const key = { accessKeyId: this.setting('access_key_id'), secretAccessKey: this.setting('secret_access_key') };
    const client = createClient({ endpointUrl: this.#url, ...key, retries: { enabled: false } });
    try {
      return (await client.commit({ ...branch, body: { message, allow_empty: true } })).id;
    } finally {
      client.close();
    }
  }

  /** Runs that are recorded, newest first. */
  async runs(): Promise<readonly Run[]> {
    return (await this.json('actions', 'runs', 'list', 'srv://hooks')) as readonly Run[];
  }

  /** Runs, once there are as many as expected. */
  async untilRuns(count: number): Promise<readonly Run[]> {
    for (;;) {
      const found = await this.runs();
      if (found.length >= count) return found;
      await sleep(50);
    }
  }

  async messages(): Promise<readonly string[]> {
    return ((await this.json('log', main)) as readonly { readonly message: string }[]).map(({ message }) => message);
  }

  output(runId: string): Promise<string> {
    return this.run('cat-hook-output', 'srv://hooks', runId, '0000_0000');
  }
}

async function received(receiver: WebhookReceiver, count: number): Promise<void> {
  while (receiver.received.length < count) await sleep(10);
}

describe('a server that is killed', { concurrency: 2, skip: skipped }, () => {
  // First, since it waits for half a minute.
  it('while another one serves the same stores, delays no client, and is reported by that one', async t => {
    const home = temporaryFolder(t);
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.close());
    const environment = await openSharedStores(t, home);
    const servers = ['a', 'b'].map(name =>
      launchSrv(home, ['run'], { ...environment, SRV_COMMITTED_LOCAL_CACHE_DIR: join(home, `cache-${name}`) }),
    );
    t.after(() => Promise.all(servers.map(server => server.end('SIGKILL'))));
    const urls = await Promise.all(servers.map(untilUp));
    const [dying, staying] = urls.map(endpointUrl => createClient({ endpointUrl, ...administratorKey, retries: { enabled: false } }));
    assert.ok(dying && staying);
    t.after(() => {
      for (const client of [dying, staying]) client.close();
    });
    const { accessKeyId, secretAccessKey } = administratorKey;
    const credentials = `credentials:\n  access_key_id: ${accessKeyId}\n  secret_access_key: ${secretAccessKey}\n`;
    await mkdir(join(home, 'srv'), { recursive: true });
    await writeFile(join(home, 'srv', 'cli.yaml'), `${credentials}server:\n  endpoint_url: ${urls[1]}\n`);
    const cli = new CliHome(home);
    await staying.createRepository({ body: { name: 'hooks', storage_namespace: 'local://hooks' } });
    await staying.uploadObject({
      ...branch,
      path: '_srv_actions/ask.yaml',
      body: Buffer.from(actionFile('pre-commit', hookTypes.webhook(receiver.url))),
    });
    receiver.answer(() => undefined);
    const committing = assert.rejects(dying.commit({ ...branch, body: { message: 'never', allow_empty: true } }));
    await received(receiver, 1);
    await servers[0]?.end('SIGKILL');
    await committing;

    receiver.answer((_, response) => response.end('fine'));
    const { id } = await staying.commit({ ...branch, body: { message: 'at once', allow_empty: true } });
    for (;;) {
      const runs = (await cli.json('actions', 'runs', 'list', 'srv://hooks')) as readonly Run[];
      const failed = runs.find(({ status }) => status === 'failed');
      if (failed) {
        // Within one second, ids of two servers have no order.
        assert.deepEqual(
          runs.map(({ status, commit_id }) => [status, commit_id]).toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
          [
            ['completed', id],
            ['failed', ''],
          ],
        );
        assert.ok((await cli.run('cat-hook-output', 'srv://hooks', failed.run_id, '0000_0000')).endsWith(reason));
        return;
      }
      // Without a sign of life for half a minute it counts as gone.
      await sleep(1000);
    }
  });

  for (const [type, hook] of Object.entries(hookTypes))
    it(`while a ${type} hook runs before a commit, leaves no commit, and a run that failed`, async t => {
      const site = await Site.open(t);
      const { receiver } = site;
      receiver.answer(() => undefined);
      await site.put('_srv_actions/ask.yaml', actionFile('pre-commit', hook(receiver.url)));
      await site.put('data', 'kept');
      const before = await site.messages();
      const committing = assert.rejects(site.commit('never'));
      await received(receiver, 1);
      await site.kill();
      await committing;

      receiver.answer((_, response) => response.end('fine'));
      await site.start();
      assert.deepEqual(await site.messages(), before);
      const [run, ...others] = await site.untilRuns(1);
      assert.deepEqual([run?.event_type, run?.status, run?.commit_id, others], ['pre-commit', 'failed', '', []]);
      assert.ok((await site.output(run?.run_id ?? '')).endsWith(reason));
      assert.equal(await site.run('fs', 'cat', `${main}/data`), 'kept');

      const id = await site.commit('at once');
      assert.deepEqual(await site.messages(), ['at once', ...before]);
      const [next] = await site.untilRuns(2);
      assert.deepEqual([next?.status, next?.commit_id], ['completed', id]);
      assert.equal(await site.run('fs', 'cat', `srv://hooks/${id}/data`), 'kept');
    });

  it('while hooks run after commits, keeps the commits and reports every run', async t => {
    const site = await Site.open(t);
    const { receiver } = site;
    receiver.answer(() => undefined);
    await site.put('_srv_actions/ask.yaml', actionFile('post-commit', hookTypes.webhook(receiver.url)));
    const commits = [await site.commit('first'), await site.commit('second')];
    await received(receiver, 2);
    await site.kill();

    receiver.answer((_, response) => response.end('fine'));
    await site.start();
    assert.deepEqual((await site.messages()).slice(0, 2), ['second', 'first']);
    const runs = await site.untilRuns(2);
    assert.deepEqual(
      runs.map(({ event_type, status }) => [event_type, status]),
      commits.map(() => ['post-commit', 'failed']),
    );
    assert.deepEqual(new Set(runs.map(run => run.commit_id)), new Set(commits));
    for (const { run_id } of runs) assert.ok((await site.output(run_id)).endsWith(reason));

    await site.commit('third');
    const [next] = await site.untilRuns(3);
    assert.equal(next?.status, 'completed');
  });
});

describe('a server that is stopped while a Lua hook runs after a commit', { skip: skipped }, () => {
  /** Commits, and stops the server when the hook is under way. @param meanwhile is done once the server has been asked to stop. */
  async function stopDuringHook(site: Site, script: string, meanwhile: () => void): Promise<Run> {
    await site.put('_srv_actions/ask.yaml', actionFile('post-commit', { type: 'lua', properties: { script } }));
    await site.commit('one');
    await received(site.receiver, 1);
    const { code, stderr } = await site.stop(meanwhile);
    assert.equal(code, 0, stderr);
    await site.start();
    const [run, ...others] = await site.untilRuns(1);
    assert.ok(run && others.length === 0);
    return run;
  }
  const ask = (url: string): string => `print((require("net/http").request("${url}")))`;

  it('lets it end, and gives it what it asks for', async t => {
    const site = await Site.open(t);
    const { receiver } = site;
    const held: (() => void)[] = [];
    const tag = 'print((require("lakefs").create_tag("hooks", "main", "made-while-stopping")))';
    receiver.answer((_, response) => held.push(() => response.end('fine')));
    const run = await stopDuringHook(site, `${ask(receiver.url)} ${tag}`, () => {
      for (const answer of held) answer();
    });
    assert.equal(run.status, 'completed');
    assert.match(await site.output(run.run_id), /\n200\n201\n/);
    assert.match(await site.run('tag', 'list', 'srv://hooks'), /made-while-stopping/);
  });

  it('ends it after the time it has, and reports why', async t => {
    const site = await Site.open(t, { SRV_ACTIONS_RUNS_DRAIN_TIMEOUT: '200ms' });
    site.receiver.answer(() => undefined);
    const run = await stopDuringHook(site, `${ask(site.receiver.url)} while true do end`, () => undefined);
    assert.equal(run.status, 'failed');
    assert.match(await site.output(run.run_id), /\nError: action failed: .*the server stopped while the hook ran\n/);
  });
});
