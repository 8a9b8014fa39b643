/** Several `srv run` over shared stores, with requests spread at random between them. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { CliHome, launchSrv, untilUp } from './programs.js';
import type { TestServer } from '@srv/test-servers';
import type { RunningProcess } from './processes.js';

interface ClusterOptions {
  readonly home: string;
  /** They keep what the servers store. */
  readonly stores: readonly Pick<TestServer, 'env'>[];
  readonly servers: number;
}

const administrator = { name: 'ann', id: 'AKIAIOSFODNN7EXAMPLE', secret: 'the-secret-of-the-first-administrator' };

export class Cluster extends CliHome {
  readonly #options: ClusterOptions;
  readonly #front: ScriptedHttp;
  readonly #running: readonly RunningProcess[];
  /** Requests each server was given. */
  readonly shares: readonly number[];
  /** Requests that may have changed something, since the servers were started. */
  readonly #changes: { count: number };

  private constructor(
    options: ClusterOptions,
    front: ScriptedHttp,
    running: readonly RunningProcess[],
    counted: { readonly shares: readonly number[]; readonly changes: { count: number } },
  ) {
    super(options.home);
    this.#options = options;
    this.#front = front;
    this.#running = running;
    this.shares = counted.shares;
    this.#changes = counted.changes;
  }

  get changes(): number {
    return this.#changes.count;
  }

  /** Sets the stores up, which must be new, and starts the servers. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { name, id, secret } = administrator;
    const args = ['setup', '--user-name', name, '--access-key-id', id, '--secret-access-key', secret];
    const { code, stdout, stderr } = await launchSrv(options.home, args, environment(options, 0)).finished;
    assert.equal(code, 0, stdout + stderr);
    return Cluster.#launch(options);
  }

  get printed(): string {
    return this.#running.map(process => process.stderr + process.stdout).join('');
  }

  async restart(): Promise<Cluster> {
    const ended = await Promise.all(this.#running.map(process => process.end('SIGINT')));
    assert.deepEqual(
      ended.map(({ code }) => code),
      ended.map(() => 0),
      this.printed,
    );
    await this.#front.close();
    return Cluster.#launch(this.#options);
  }

  async kill(): Promise<void> {
    await Promise.all(this.#running.map(process => process.end('SIGKILL')));
    await this.#front.close();
  }

  static async #launch(options: ClusterOptions): Promise<Cluster> {
    const running = Array.from({ length: options.servers }, (_, i) => launchSrv(options.home, ['run'], environment(options, i)));
    const urls = await Promise.all(running.map(untilUp));
    const shares = urls.map(() => 0);
    const changes = { count: 0 };
    const front = await ScriptedHttp.open((request, response) => {
      const chosen = Math.floor(Math.random() * urls.length);
      shares[chosen] = (shares[chosen] ?? 0) + 1;
      if (request.method !== 'GET' && request.method !== 'HEAD') changes.count++;
      passOn(urls[chosen] ?? '', request, response);
    });
    await mkdir(join(options.home, 'srv'), { recursive: true });
    await writeFile(
      join(options.home, 'srv', 'cli.yaml'),
      [
        'credentials:',
        `  access_key_id: ${administrator.id}`,
        `  secret_access_key: ${administrator.secret}`,
        'server:',
        `  endpoint_url: ${front.url}`,
        '',
      ].join('\n'),
    );
    return new Cluster(options, front, running, { shares, changes });
  }
}

function environment({ home, stores }: ClusterOptions, server: number): Record<string, string> {
  return {
    SRV_LISTEN_ADDRESS: '127.0.0.1:0',
    SRV_AUTH_ENCRYPT_SECRET_KEY: 'encryption-secret-of-this-test',
    SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'signing-secret-of-this-test',
    SRV_COMMITTED_LOCAL_CACHE_DIR: join(home, `cache-${server}`),
    ...Object.assign({}, ...stores.map(({ env }) => env)),
  };
}
