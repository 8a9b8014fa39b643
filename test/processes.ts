/** Child processes that never outlive the test file, and what they printed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';

export interface Finished {
  /** `null`: ended by a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Launch {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Given on standard input, which is empty otherwise. */
  readonly input?: string | undefined;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// The test runner ends a file that takes too long with SIGTERM, which alone would skip 'exit'.
process.once('SIGTERM', () => process.exit(1));

/** A started program; its output is gathered while it runs. */
export class RunningProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly finished: Promise<Finished>;

  constructor(file: string, args: readonly string[], { env, cwd, input = '' }: Launch) {
    this.child = spawn(process.execPath, [file, ...args], { env: { ...inherited(), ...env }, cwd, stdio: 'pipe' });
    alive.add(this.child);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin?.on('error', () => undefined);
    this.child.stdin?.end(input);
    this.finished = this.#end();
  }

  async #end(): Promise<Finished> {
    const [code, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null];
    alive.delete(this.child);
    return { code, signal, stdout: this.stdout, stderr: this.stderr };
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Finished> {
    this.child.kill(signal);
    return this.finished;
  }
}

/** The environment without settings that would reach the programs from outside the test. Compiled code is shared. */
export function inherited(): Record<string, string | undefined> {
  const foreign = /^(SRV_|CLI_|NODE_(?!COMPILE_CACHE$)|HOME$|NO_COLOR$|FORCE_COLOR$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
