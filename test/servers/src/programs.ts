/** Runs the two programs as their users do. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scratchFolder, spent } from '@srv/kernel/testing';
import type { ChildProcess } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Buffer;
}

/** The file that Node runs for a program of this workspace. */
export const programFile = (program: 'srv' | 'cli'): string => fileURLToPath(new URL(`../../../../cli/bin/${program}.js`, import.meta.url));

/** What programs share with their test: where to find others, to write, and to keep compiled code. */
function shared(): Record<string, string | undefined> {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(TMPDIR ? { TMPDIR } : {}), ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) };
}

function start(program: 'srv' | 'cli', args: readonly string[], home: string, { env = {}, cwd = home }: RunOptions): ChildProcess {
  return spawn(process.execPath, [programFile(program), ...args], {
    cwd,
    // Threads that warm up take a second of a processor, and most tests need none.
    env: { ...shared(), TZ: 'UTC', HOME: home, ...(program === 'srv' ? { SRV_COMMITTED_WARM_UP: 'false' } : {}), ...env },
    stdio: 'pipe',
  });
}

/** Collects what a program prints until it ends. */
function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  return new Promise(resolve => {
    child.on('close', code => resolve({ code, ...texts }));
  });
}

export function run(program: 'srv' | 'cli', args: readonly string[], home: string, options: RunOptions = {}): Promise<Ended> {
  const child = start(program, args, home, options);
  child.stdin?.end(options.input ?? '');
  return ended(child);
}

export interface RunningServer {
  readonly home: string;
  readonly url: string;
  /** What it printed on standard error so far. */
  banner(): string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

/** Starts `srv run --local-settings` on a free port. */
export async function startServer(
  home = scratchFolder(),
  args: readonly string[] = ['--local-settings'],
  env: RunOptions['env'] = {},
): Promise<RunningServer> {
  const child = start('srv', ['run', ...args], home, { env: { SRV_LISTEN_ADDRESS: '127.0.0.1:0', ...env } });
  const end = ended(child);
  let banner = '';
  const listening = new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (text: string) => {
      banner += text;
      const found = /URL +(\S+)/.exec(banner)?.[1];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(`srv ended:\n${banner}`)));
  });
  const url = await spent('servers', () => listening);
  return {
    home,
    url,
    ended: end,
    banner: () => banner,
    signal: name => void child.kill(name),
    remove: async () => {
      child.kill('SIGTERM');
      await end;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
