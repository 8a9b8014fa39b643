/** The thread of one script, seen from the server: it ends with the script, or is ended. */
import { Worker } from 'node:worker_threads';
import { SrvError, messageOf } from '@srv/kernel';
import { shared, sharedBytes } from '../thread/protocol.js';
import type { ApiCall, FromThread, Job, Reply, ThreadData } from '../thread/protocol.js';
import type { ScriptLimits } from './limits.js';

/** Milliseconds between two checks of how long a script has been computing. */
const checkEvery = 100;
/** Mebibytes of JavaScript values; the limits of modules (thread/limits.ts) keep them far below. */
const hostMemory = 1536;
/** Variables that clients of services outside need; the others may hold secrets of the server. */
const passedVariables = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'STORAGE_EMULATOR_HOST',
];

export interface ScriptRun {
  readonly job: Job;
  readonly limits: ScriptLimits;
  readonly signal: AbortSignal;
  /** Bytes of output, as they are printed. */
  log(bytes: Uint8Array): void;
  /** Receives the names of modules of hooks as the script loads them. */
  readonly loading?: (module: string) => void;
  /** The body of a reply must not be used afterwards: its memory may move to the thread. */
  call(call: ApiCall, signal: AbortSignal): Promise<Reply>;
}

export class ScriptThread {
  readonly #worker: Worker;
  readonly #state: Int32Array;
  #used = false;

  constructor(limits: Pick<ScriptLimits, 'memory' | 'body'>) {
    const memory = new SharedArrayBuffer(sharedBytes);
    this.#state = new Int32Array(memory);
    // Until the thread is up and has its script, nothing is computed.
    Atomics.store(this.#state, shared.waiting, 1);
    const workerData: ThreadData = { memory, maxMemory: limits.memory, maxBody: limits.body };
    this.#worker = new Worker(new URL('../thread/main.js', import.meta.url), {
      workerData,
      name: 'lua',
      env: {
        ...Object.fromEntries(passedVariables.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: hostMemory, maxYoungGenerationSizeMb: 16 },
    });
    // A spare thread does not keep the process running, nor does its failure end it.
    this.#worker.unref();
    this.#worker.on('error', () => undefined);
  }

  /**
   * Runs a script; a thread runs one, and must then be closed.
   * @throws SrvError `invalid` with why the script failed, `timeout` when it took too long, `cancelled`.
   */
  async run({ job, limits, signal, log, loading, call }: ScriptRun): Promise<void> {
    if (this.#used) throw new SrvError('internal', 'a Lua thread was asked to run a second script');
    this.#used = true;
    const worker = this.#worker;
    const calls = new AbortController();
    let clock: NodeJS.Timeout | undefined;
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (error: unknown): void => reject(error);
        leave = () =>
          fail(new SrvError('cancelled', 'the script was stopped: no request waits for the hook any longer', { cause: signal.reason }));
        if (signal.aborted) return leave();
        signal.addEventListener('abort', leave, { once: true });
        clock = this.#watch(limits, fail);
        worker.on('message', (message: FromThread) => {
          if (message.kind === 'output') this.#take(message.bytes, log);
          else if (message.kind === 'module') loading?.(message.name);
          else if (message.kind === 'call') void this.#answer(message, call, calls.signal);
          else if (message.kind === 'done') {
            if (message.failure === undefined) resolve();
            else fail(new SrvError('invalid', message.failure));
          }
        });
        worker.once('error', error =>
          fail(new SrvError('invalid', `the script was stopped: ${reasonOf(error, limits)}`, { cause: error })),
        );
        worker.once('exit', () => fail(new SrvError('internal', 'the thread of the script ended unexpectedly')));
        worker.postMessage(job);
      });
    } finally {
      clearInterval(clock);
      if (leave) signal.removeEventListener('abort', leave);
      calls.abort();
    }
  }

  /** Terminates the thread, even in the middle of a script. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #watch({ computing, total }: ScriptLimits, fail: (error: unknown) => void): NodeJS.Timeout {
    const begin = performance.now();
    let [last, computed] = [begin, 0];
    return setInterval(() => {
      const now = performance.now();
      // A check that is late, because this thread was busy, shows nothing about the time since the last one.
      if (Atomics.load(this.#state, shared.waiting) === 0) computed += Math.min(now - last, checkEvery);
      last = now;
      if (computed > computing) fail(tooLong(`computed for more than ${computing / 1000} s`));
      else if (now - begin > total) fail(tooLong(`took more than ${total / 1000} s; "timeout" of the hook can allow more`));
    }, checkEvery);
  }

  #take(bytes: Uint8Array, log: (bytes: Uint8Array) => void): void {
    log(bytes);
    Atomics.sub(this.#state, shared.outstanding, bytes.length);
    Atomics.notify(this.#state, shared.outstanding);
  }

  async #answer(asked: ApiCall, call: ScriptRun['call'], signal: AbortSignal): Promise<void> {
    try {
      this.#post(await call(asked, signal), signal);
    } catch (error) {
      this.#post({ kind: 'failure', message: messageOf(error) }, signal);
    }
  }

  #post(reply: Reply, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#worker.postMessage(reply, transferable(reply));
    Atomics.store(this.#state, shared.replied, 1);
    Atomics.notify(this.#state, shared.replied);
  }
}

/** Large bodies move, since a call gives up its body; small ones may share their memory with others. */
function transferable(reply: Reply): ArrayBuffer[] {
  if (reply.kind !== 'answer' || !reply.body) return [];
  const { buffer, byteLength } = reply.body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function tooLong(what: string): SrvError {
  return new SrvError('timeout', `the script was stopped: it ${what}`);
}

function reasonOf(error: Error, { memory }: ScriptLimits): string {
  const { code } = error as Error & { readonly code?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it needs more memory than scripts get (${memory >> 20} MiB)` : error.message;
}
