/** A PostgreSQL server as a process: made, crashed, restarted and removed. */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { findBinaries, libraryEnvironment } from './postgres-binaries.js';
import type { ChildProcess } from 'node:child_process';
import type { PostgresBinaries } from './postgres-binaries.js';

const run = promisify(execFile);

interface User {
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** Waits until its parent has ended, in whatever way, then ends the server and removes its folder. */
const guardScript = `cat >/dev/null
file="$0/data/postmaster.pid"
pid=$(head -n 1 "$file" 2>/dev/null)
[ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null && for _ in $(seq 100); do [ -e "$file" ] && sleep 0.05; done
rm -rf "$0"`;

// Tests crash the server and never the system, which keeps what was written: nothing has to wait for the disk.
const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', 'shared_buffers=32MB', 'fsync=off'];

export class OwnPostgres {
  readonly url: string;
  readonly #binaries: PostgresBinaries;
  readonly #folder: string;
  readonly #user: User;
  readonly #port: number;
  readonly #guard: ChildProcess;
  #environment: Readonly<Record<string, string>> = {};

  private constructor(binaries: PostgresBinaries, folder: string, user: User, port: number, password: string) {
    this.#binaries = binaries;
    this.#folder = folder;
    this.#user = user;
    this.#port = port;
    this.url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
    const env = { PATH: '/usr/bin:/bin' };
    this.#guard = spawn('/bin/sh', ['-c', guardScript, folder], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#guard.unref();
  }

  static async start(): Promise<OwnPostgres> {
    const binaries = await findBinaries();
    const user = await unprivileged();
    const folder = await mkdtemp(join(tmpdir(), 'srv-postgres-'));
    const password = randomUUID();
    const server = new OwnPostgres(binaries, folder, user, await freePort(), password);
    try {
      await server.#initialise(password);
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async start(): Promise<void> {
    const options = [`-p ${this.#port}`, ...settings.map(setting => `-c ${setting.replace(/=$/, "=''")}`)].join(' ');
    const log = join(this.#folder, 'data', 'server.log');
    try {
      await this.#run(this.#binaries.pg_ctl, ['start', '--wait', '--silent', `--log=${log}`, `--pgdata=${this.#data}`, '-o', options]);
    } catch (error) {
      throw new Error(`PostgreSQL does not start: ${await readFile(log, 'utf8').catch(() => String(error))}`, { cause: error });
    }
  }

  /** Every process of the server ends at once; the next start recovers from the log. */
  async stop(): Promise<void> {
    await this.#run(this.#binaries.pg_ctl, ['stop', '--wait', '--silent', '--mode=immediate', `--pgdata=${this.#data}`]);
  }

  async close(): Promise<void> {
    if (this.#guard.exitCode !== null) return;
    const gone = once(this.#guard, 'exit');
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  async #initialise(password: string): Promise<void> {
    const passwordFile = join(this.#folder, 'password');
    this.#environment = await libraryEnvironment(this.#binaries, join(this.#folder, 'lib'));
    await mkdir(this.#data, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    // Temporary folders are closed to others, and the server may run as another user.
    await chmod(this.#folder, 0o755);
    for (const path of [this.#data, passwordFile]) await giveTo(path, this.#user);
    const authentication = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const rest = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions', `--pgdata=${this.#data}`];
    await this.#run(this.#binaries.initdb, [...authentication, ...rest]);
    await rm(passwordFile);
  }

  async #run(command: string, parameters: readonly string[]): Promise<void> {
    const env = { ...this.#environment, PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    await run(command, [...parameters], { ...this.#user, cwd: this.#folder, env });
  }
}

/** PostgreSQL refuses to run as root: there it runs as the user who owns nothing. */
async function unprivileged(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async flag => Number((await run('id', [flag, 'nobody'])).stdout)));
  return { uid, gid };
}

async function giveTo(path: string, { uid, gid }: User): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
