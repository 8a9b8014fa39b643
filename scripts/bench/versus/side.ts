/** One of the two servers that are compared: `srv run` of a checkout, on a data folder of its own. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@srv/test-servers';
import { RunningProcess, untilUp } from '#programs';
import { authorization, key } from '../api-load.js';

interface SideOptions {
  readonly name: string;
  /** Folder of a built checkout. */
  readonly checkout: string;
  /** Folder for what the server stores. */
  readonly home: string;
  /** Files below it may be imported. */
  readonly source: string;
  /** Further arguments of `srv run`. */
  readonly args: readonly string[];
  /** Where its records are. */
  readonly env: Readonly<Record<string, string>>;
}

export class Side {
  readonly name: string;
  readonly port: number;
  readonly #options: SideOptions;
  #process: RunningProcess | undefined;
  #peak = 0;
  readonly #beside: Side[] = [];

  private constructor(options: SideOptions, port: number) {
    this.name = options.name;
    this.port = port;
    this.#options = options;
  }

  /** Sets the installation up and starts its server. */
  static async start(options: SideOptions): Promise<Side> {
    await mkdir(options.home, { recursive: true });
    const side = new Side(options, await freePort());
    await side.#launch();
    await side.call('POST', '/setup_lakefs', { username: 'bench', key: { access_key_id: key.id, secret_access_key: key.secret } });
    return side;
  }

  /** Of its process. */
  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  /** One operation of the API. @param path below `/api/v1`. @returns the decoded answer. @throws Error when the request fails. */
  async call(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${this.name}: ${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  }

  /** A server that has served nothing yet, over the same data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#launch();
  }

  async stop(): Promise<void> {
    this.#peak = Math.max(this.#peak, await this.#memory());
    await this.#process?.end('SIGINT');
  }

  /** Another server of the same checkout, which ends with this one. @param env where its records and objects are. */
  async beside(name: string, env: (home: string) => Readonly<Record<string, string>>): Promise<Side> {
    const home = join(this.#options.home, name);
    const side = await Side.start({ ...this.#options, name: `${this.name}, ${name}`, home, args: [], env: env(home) });
    this.#beside.push(side);
    return side;
  }

  async kill(): Promise<void> {
    for (const side of this.#beside) await side.kill();
    await this.#process?.end('SIGKILL');
  }

  /** The most memory that its processes held at a time since the first start, bytes; 0 if the system does not report it. */
  async peak(): Promise<number> {
    return Math.max(this.#peak, await this.#memory());
  }

  async #launch(): Promise<void> {
    const { checkout, home, source, args, env } = this.#options;
    this.#process = new RunningProcess(join(checkout, 'cli', 'bin', 'srv.js'), ['run', ...args], {
      cwd: home,
      env: {
        HOME: home,
        SRV_LISTEN_ADDRESS: `127.0.0.1:${this.port}`,
        SRV_BLOCKSTORE_TYPE: 'local',
        SRV_BLOCKSTORE_LOCAL_PATH: join(home, 'objects'),
        SRV_BLOCKSTORE_LOCAL_IMPORT_ENABLED: 'true',
        SRV_BLOCKSTORE_LOCAL_ALLOWED_EXTERNAL_PREFIXES: source,
        SRV_COMMITTED_LOCAL_CACHE_DIR: join(home, 'cache'),
        SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'bench',
        SRV_AUTH_ENCRYPT_SECRET_KEY: 'bench',
        SRV_LOGGING_LEVEL: 'ERROR',
        ...env,
      },
    });
    await untilUp(this.#process);
  }

  /** Its processes. */
  async pids(): Promise<readonly number[]> {
    const { pid } = this;
    return pid === undefined ? [] : [pid, ...(await childrenOf(pid))];
  }

  async #memory(): Promise<number> {
    const peaks = await Promise.all((await this.pids()).map(peakOf));
    return peaks.reduce((sum, peak) => sum + peak, 0);
  }
}

/** Workers of `srv run --workers`. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
