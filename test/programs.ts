/** The two programs as a person runs them: `srv` in a home folder of its own, `cli` against it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { spent } from '@srv/kernel/testing';
import { RunningProcess } from './processes.js';
import type { Client } from '@srv/engine/client';
import type { Finished } from './processes.js';

export { RunningProcess };

/** This file is `test/dist/programs.js` once compiled. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..');
export const srvProgram = join(repositoryRoot, 'cli', 'bin', 'srv.js');
export const cliProgram = join(repositoryRoot, 'cli', 'bin', 'cli.js');

/** A working folder without a configuration file that the programs would read. */
const neutralFolder = import.meta.dirname;

/** Milliseconds; generous, since all test files share the machine. */
const startTimeout = 60_000;

/** A temporary folder that ends with `owner`: a test's context, or in the body of a suite `{ after }`. */
export function temporaryFolder(owner: { after(callback: () => Promise<void>): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'srv-test-'));
  owner.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** `srv` with these arguments. Its threads do not warm up: a test that ends sooner would pay for it. */
export function launchSrv(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess {
  return new RunningProcess(srvProgram, args, { cwd: neutralFolder, env: { HOME: home, SRV_COMMITTED_WARM_UP: 'false', ...env } });
}

/** `srv run --local-settings`, not necessarily successful. Port 0 lets the system choose. */
export function launchServer(home: string, listenAddress = '127.0.0.1:0', env: Readonly<Record<string, string>> = {}): RunningProcess {
  return launchSrv(home, ['run', '--local-settings'], { SRV_LISTEN_ADDRESS: listenAddress, ...env });
}

/** `cli` with the configuration file that a server in this home writes. */
export function launchCli(home: string, ...args: string[]): RunningProcess {
  return new RunningProcess(cliProgram, args, {
    cwd: neutralFolder,
    env: { HOME: home, CLI_CONFIG_FILE: join(home, 'srv', 'cli.yaml') },
  });
}

/** Returns the URL when the server says that it is up. @throws Error with its output when it ends or stays silent. */
export async function untilUp(process: RunningProcess): Promise<string> {
  return spent('servers', () => urlOf(process));
}

async function urlOf(process: RunningProcess): Promise<string> {
  const deadline = Date.now() + startTimeout;
  for (;;) {
    const url = /Up and running.*?URL +(http:\S+)\n/s.exec(process.stderr)?.[1];
    if (url !== undefined && process.stderr.endsWith('\n')) return url;
    const ended = await Promise.race([process.finished, sleep(20)]);
    if (ended || Date.now() > deadline) {
      const { stdout, stderr } = ended ?? (await process.end('SIGKILL'));
      throw new Error(`the server did not start:\n${stderr}\n${stdout}`);
    }
  }
}

/** A home folder with the configuration file of a `cli` that works as the first administrator. */
export class CliHome {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  /** One value of the file of `cli`. */
  setting(name: string): string {
    const file = join(this.home, 'srv', 'cli.yaml');
    const value = new RegExp(`^ *${name}: (\\S+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
    assert.ok(value, `${file} lacks ${name}`);
    return value;
  }

  /** Runs `cli` with the first administrator's credentials. */
  async cli(...args: string[]): Promise<Finished> {
    return launchCli(this.home, ...args).finished;
  }

  /** Runs `cli`, which must succeed and print nothing on standard error. @returns its standard output. */
  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli(...args);
    assert.equal(code, 0, `cli ${args.join(' ')} ended with ${code}: ${stderr}`);
    assert.equal(stderr, '', `cli ${args.join(' ')} complained`);
    return stdout;
  }

  /** Runs `cli -o json`. */
  async json(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.run(...args, '-o', 'json'));
  }

  /** Runs `cli`, which must fail with exit code 1. @returns its standard error. */
  async fails(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli(...args);
    assert.notEqual(code ?? 0, 0, `cli ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stderr;
  }
}

/** A server with local settings, of one process or more. */
export class ServedHome extends CliHome {
  readonly url: string;
  readonly process: RunningProcess;

  constructor(home: string, url: string, process: RunningProcess) {
    super(home);
    this.url = url;
    this.process = process;
  }

  /** The typed client of the API with the first administrator's credentials; without retries, so that an answer is the server's. */
  client(): Client {
    return createClient({
      endpointUrl: this.url,
      accessKeyId: this.setting('access_key_id'),
      secretAccessKey: this.setting('secret_access_key'),
      retries: { enabled: false },
    });
  }
}

/** `srv run --local-settings` on a free port. */
export class Server extends ServedHome {
  /** Returns when the server says that it is up. @throws Error with its output when it ends or stays silent. */
  static async start(home: string): Promise<Server> {
    const process = launchServer(home);
    return new Server(home, await untilUp(process), process);
  }

  get printed(): string {
    return this.process.stderr + this.process.stdout;
  }

  /** Ctrl-C, then another run in the same home folder. */
  async restart(): Promise<Server> {
    const { code } = await this.stop();
    assert.equal(code, 0);
    return Server.start(this.home);
  }

  /** Ctrl-C. */
  async stop(): Promise<Finished> {
    return this.process.end('SIGINT');
  }

  /** The power goes off. */
  async kill(): Promise<Finished> {
    return this.process.end('SIGKILL');
  }
}
