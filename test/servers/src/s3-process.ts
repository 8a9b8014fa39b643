/** A server program in a folder of its own: started on a port, crashed, restarted and removed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spent } from '@srv/kernel/testing';
import { isListening } from './is-listening.js';
import type { ChildProcess } from 'node:child_process';

/** Waits until its parent has ended, in whatever way, then ends the server and removes its folder. */
const guardScript = `cat >/dev/null
kill -KILL "$(cat "$0/pid" 2>/dev/null)" 2>/dev/null
sleep 0.1
rm -rf "$0"`;

/** Milliseconds; generous, since test files share the machine. */
const startTimeoutMs = 60_000;

interface ServerProgram {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export class ServerProcess {
  readonly folder: string;
  readonly port: number;
  readonly #program: ServerProgram;
  readonly #guard: ChildProcess;
  #running: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, port: number, program: ServerProgram) {
    this.folder = folder;
    this.port = port;
    this.#program = program;
    const env = { PATH: '/usr/bin:/bin' };
    this.#guard = spawn('/bin/sh', ['-c', guardScript, folder], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#guard.unref();
  }

  /** @param program made for a fresh folder. */
  static async open(name: string, port: number, program: (folder: string) => ServerProgram): Promise<ServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), `srv-${name}-`));
    const server = new ServerProcess(folder, port, program(folder));
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Returns when the server takes connections. */
  async start(): Promise<void> {
    const { command, parameters, env } = this.#program;
    const child = spawn(command, parameters, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running = child;
    this.#output = '';
    child.on('error', error => (this.#output += String(error)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output = (this.#output + text).slice(-10_000)));
    }
    if (child.pid !== undefined) await writeFile(join(this.folder, 'pid'), String(child.pid));
    await spent('servers', async () => {
      for (const deadline = Date.now() + startTimeoutMs; !(await isListening(this.port)); await sleep(30)) {
        if (child.pid === undefined || child.exitCode !== null || Date.now() > deadline)
          throw new Error(`${command} does not start: ${this.#output}`);
      }
    });
    // The tests may end although it runs.
    child.unref();
    for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref?(): void }).unref?.();
  }

  /** As in a crash. */
  async stop(): Promise<void> {
    const child = this.#running;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (this.#guard.exitCode !== null) return;
    const gone = once(this.#guard, 'exit');
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }
}
