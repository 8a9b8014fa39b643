/** `srv run --workers N`: several servers on one machine, which share its port and a database. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import '@srv/config/contract';
import { SrvError, messageOf } from '@srv/kernel';
import { version } from '../version.js';
import { banner } from './banner.js';
import { describeLocally } from './launchers.js';
import { closeLostConnections } from './lost-connections.js';
import { untilOrphaned } from './orphaned.js';
import { newGroup, replacing } from './peer-processes.js';
import { quietLog, serverKernel } from './server-kernel.js';
import { untilSignal } from './signals.js';
import type { Worker } from 'node:cluster';
import type { LocalSettings } from '@srv/config/contract';
import type { RunFlags } from './flags.js';
import type { FromWorker, ToWorker } from './peer-processes.js';

/** Milliseconds before a worker that ended unasked is replaced: a fault must not become a storm. */
const replaceAfter = 1000;

type ReadyWorker = Extract<FromWorker, { kind: 'ready' }>;
type StartedWorker = Extract<FromWorker, { kind: 'ready' | 'failed' }>;

/** Starts the workers, replaces those that end unasked, and ends them all at the first signal. */
export async function runWorkers(flags: RunFlags, count: number): Promise<void> {
  const signal = Promise.race([untilSignal(), untilOrphaned()]);
  const local = await prepareSettings(flags);
  const crew = new Crew();
  try {
    const serving = Promise.all(Array.from({ length: count }, () => crew.hire())).then(([first]) => {
      describeLocally(local, first?.address);
      tell(banner({ version: version(), url: first?.address?.url, quickstart: flags.quickstart === true, local }));
      tell(`  Workers      ${crew.pids.join(' ')}\n\n`);
    });
    // The signal also ends a start that waits.
    await Promise.race([signal, serving.then(() => signal)]);
    tell('Shutting down...\n');
  } finally {
    process.exitCode = (await crew.dismiss()) ? 0 : 1;
  }
  process.exit();
}

/** The workers there are. */
class Crew {
  readonly #environment = newGroup();
  readonly #workers = new Set<Worker>();
  /** Of those that have ended: how. */
  readonly #ends = new WeakMap<Worker, string>();
  /** Those that serve. */
  readonly #serving = new Set<Worker>();
  #dismissed = false;
  #clean = true;

  get pids(): (number | undefined)[] {
    return [...this.#workers].map(({ process: { pid } }) => pid);
  }

  /** Returns when the worker serves. @throws SrvError with its reason when it ends before that. */
  async hire(environment: Readonly<Record<string, string>> = {}): Promise<ReadyWorker> {
    const worker = cluster.fork({ ...this.#environment, ...environment });
    closeLostConnections(worker);
    this.#workers.add(worker);
    let serves = false;
    const ended = once(worker, 'exit').then(([code, signal]: unknown[]) => {
      this.#ends.set(worker, describeEnd(code, signal));
      this.#workers.delete(worker);
      this.#serving.delete(worker);
      // One that was still starting had nothing to lose and did not listen for the signal yet.
      if (this.#dismissed && serves && code !== 0) this.#clean = false;
    });
    const ready = await Promise.race([this.#listenTo(worker), ended]);
    if (!ready) throw new SrvError('unavailable', 'a worker could not start; see its log');
    if (ready.kind === 'failed') throw new SrvError('unavailable', ready.reason);
    serves = true;
    this.#serving.add(worker);
    void ended.then(() => this.#replace(worker));
    return ready;
  }

  /** Forwards messages between workers. @returns when the worker serves, or cannot. */
  #listenTo(worker: Worker): Promise<StartedWorker> {
    return new Promise(resolve => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready' || message.kind === 'failed') resolve(message);
        else this.#relay(worker, message);
      });
    });
  }

  #relay(worker: Worker, message: Exclude<FromWorker, StartedWorker>): void {
    if (message.kind === 'answer') {
      const { id, to, value } = message;
      send(cluster.workers?.[to], { kind: 'answer', id, value });
      return;
    }
    const { id, topic, question } = message;
    const others = [...this.#serving].filter(other => other !== worker);
    send(worker, { kind: 'asked', id, count: others.length });
    for (const other of others) send(other, { kind: 'question', id, from: worker.id, topic, question });
  }

  /** Ends all workers once their open requests are done. @returns whether they ended cleanly. */
  async dismiss(): Promise<boolean> {
    this.#dismissed = true;
    const ends = [...this.#workers].map(worker => once(worker, 'exit'));
    for (const worker of this.#workers) worker.process.kill('SIGTERM');
    await Promise.all(ends);
    return this.#clean;
  }

  async #replace(worker: Worker): Promise<void> {
    const { pid } = worker.process;
    const end = this.#ends.get(worker) ?? '';
    while (!this.#dismissed) {
      tell(`srv: worker ${pid} ended (${end}); starting another one\n`);
      await sleep(replaceAfter);
      if (this.#dismissed) return;
      try {
        await this.hire(replacing(`process ${pid}, ${end}`));
        return;
      } catch (error) {
        if (!this.#dismissed) tell(`srv: ${messageOf(error)}\n`);
      }
    }
  }
}

/** Makes what a first run makes, once for all workers, and finds what is wrong with the configuration. */
async function prepareSettings(flags: RunFlags): Promise<LocalSettings | undefined> {
  const kernel = serverKernel({ localSettings: false, ...flags }, { overrides: quietLog });
  await kernel.load();
  await kernel.prepare();
  await kernel.configure();
  const local = kernel.services.find('configOrigin')?.local;
  await kernel.stop();
  return local;
}

function tell(text: string): void {
  process.stderr.write(text);
}

/** How a process has ended, as an operator would say it. */
function describeEnd(code: unknown, signal: unknown): string {
  return typeof signal === 'string' ? `signal ${signal}` : `exit code ${String(code)}`;
}

/** To one that is still there. */
function send(worker: Worker | undefined, message: ToWorker): void {
  if (worker?.isConnected()) worker.send(message);
}
