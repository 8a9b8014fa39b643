/** `srv run`: boots the kernel, prints how to reach it, drains at the first signal. */
import cluster from 'node:cluster';
import '@srv/config/contract';
import { messageOf } from '@srv/kernel';
import { outliveOutputs } from '../outputs.js';
import { version } from '../version.js';
import { serveShells } from './attach/shells.js';
import { banner } from './banner.js';
import { failureReason } from './failure.js';
import { describeLocally } from './launchers.js';
import { untilOrphaned } from './orphaned.js';
import { WorkerPeers, channelToPrimary, takeGroup, takePredecessor } from './peer-processes.js';
import { serverAddress } from './server-address.js';
import { serverKernel } from './server-kernel.js';
import { requireShareableStores } from './shareable-stores.js';
import { untilSignal } from './signals.js';
import { keepRequestsYoung } from './young-requests.js';
import type { Kernel } from '@srv/kernel';
import type {} from '@srv/lib-stores/block';
import type { Shells } from './attach/shells.js';
import type { RunFlags } from './flags.js';
import type { FromWorker } from './peer-processes.js';

/** Logs go to standard output unless configured otherwise; what a person reads goes to standard error. */
export async function run(flags: RunFlags): Promise<void> {
  outliveOutputs();
  if (flags.workers !== undefined && cluster.isPrimary) return (await import('./workers.js')).runWorkers(flags, flags.workers);
  if (cluster.worker) await serve(flags).catch(reportFailure);
  else await serve(flags);
}

async function serve(flags: RunFlags): Promise<void> {
  const signal = Promise.race([untilSignal(), untilOrphaned()]);
  const kernel = serverKernel({ localSettings: false, ...flags });
  if (cluster.worker) endWithPrimary(kernel);
  let shells: Shells | undefined;
  process.on('uncaughtException', error => {
    if (!shells?.takes(error)) fault(error, kernel);
  });
  const serving = start(kernel, flags).then(() => {
    keepRequestsYoung();
    shells = serveShells(kernel);
    announce(kernel, flags);
  });
  // A start may wait long, for a database for example: the signal ends that, too.
  const name = await Promise.race([signal, serving.then(() => signal)]);
  shells?.close();
  kernel.log.info({ signal: name }, 'shutting down');
  if (!cluster.worker) tell('Shutting down...\n');
  process.exit(await stop(kernel));
}

/** Returns when the server serves. */
async function start(kernel: Kernel, { workers }: RunFlags): Promise<void> {
  await kernel.load();
  if (workers !== undefined) requireShareableStores(kernel, workers);
  await kernel.prepare();
  await kernel.configure();
  const origin = kernel.services.find('configOrigin');
  const ended = takePredecessor();
  if (ended !== undefined) kernel.log.error({ ended }, 'a worker ended and is being replaced');
  kernel.log.info({ file: origin?.file ?? 'none' }, 'configuration loaded');
  kernel.log.debug(Object.fromEntries(kernel.config.show().map(({ key, value }) => [key, value])), 'configuration');
  kernel.log.info({ version: version(), node: process.version }, 'srv run');
  await kernel.start();
}

/** Says that the server serves. */
function announce(kernel: Kernel, flags: RunFlags): void {
  const address = serverAddress(kernel);
  if (cluster.worker) {
    channelToPrimary().send({ kind: 'ready', address });
    return;
  }
  try {
    describeLocally(kernel.services.find('configOrigin')?.local, address);
  } catch (error) {
    // The server serves all the same.
    kernel.log.warn({ error: messageOf(error) }, 'the files for the programs on this machine cannot be written');
  }
  greet(kernel, flags, address?.url);
}

/** For the person who started the server. */
function greet(kernel: Kernel, { quickstart }: RunFlags, url: string | undefined): void {
  const origin = kernel.services.find('configOrigin');
  const { info, type } = kernel.services.get('block');
  if (!info.productionSafe) tell(`WARNING! Block store ${type} loses its data when the server stops: for trials only.\n`);
  tell(banner({ version: version(), url, quickstart: quickstart === true, local: origin?.local }));
}

/** A worker reaches its peers through the process that started it, and ends with that. */
function endWithPrimary(kernel: Kernel): void {
  kernel.services.provide('peers', new WorkerPeers(channelToPrimary(), takeGroup()));
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}

/** Lets the process that started this one say why it cannot serve: once, for all workers. */
function reportFailure(error: unknown): Promise<never> {
  process.send?.({ kind: 'failed', reason: failureReason(error) } satisfies FromWorker, () => process.exit(1));
  return new Promise(() => {});
}

async function stop(kernel: Kernel): Promise<number> {
  try {
    await kernel.stop();
    return 0;
  } catch (error) {
    tell(`srv: shutdown was not clean: ${messageOf(error)}\n`);
    return 1;
  }
}

/** An unhandled error leaves the state unknown: it is logged, and the process ends. */
function fault(error: unknown, { log }: Kernel): never {
  log.error({ error }, 'unhandled error');
  tell(`srv: internal fault: ${messageOf(error)}; details are in the log\n`);
  process.exit(2);
}

function tell(text: string): void {
  process.stderr.write(text);
}
