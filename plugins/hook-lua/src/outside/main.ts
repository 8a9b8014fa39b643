/**
 * The thread beside that of a script: it passes calls on to a process of their own and wakes the script up. What a
 * service outside sends may need more memory than there is, which would end the process it is read in.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { OutsideCall, OutsideReply } from './protocol.js';

/** Mebibytes of JavaScript values. */
const memory = 512;

const { port, replied, maxBody } = workerData as {
  readonly port: MessagePort;
  readonly replied: SharedArrayBuffer;
  readonly maxBody: number;
};
const signal = new Int32Array(replied);
const child = fork(fileURLToPath(new URL('./process.js', import.meta.url)), [String(maxBody)], {
  execArgv: [`--max-old-space-size=${memory}`],
  serialization: 'advanced',
  stdio: 'ignore',
});
let waiting = false;
/** Why no further call can be made. */
let ended: string | undefined;

port.on('message', (call: OutsideCall) => {
  waiting = true;
  if (ended === undefined) child.send(call, error => error && answer({ kind: 'failure', message: error.message }));
  else answer({ kind: 'failure', message: ended });
});
child.on('message', (reply: OutsideReply) => answer(reply));
child.on('exit', () => end('the process for calls outside ended; did an answer need too much memory?'));
child.on('error', error => end(error.message));

function end(reason: string): void {
  ended ??= reason;
  answer({ kind: 'failure', message: ended });
}

/** A call has one answer. */
function answer(reply: OutsideReply): void {
  if (!waiting) return;
  waiting = false;
  port.postMessage(reply);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}
