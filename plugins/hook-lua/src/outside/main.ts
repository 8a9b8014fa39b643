/** The thread that calls services outside. Each service is loaded when a script first uses it. */
import { workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Input } from './protocol.js';
import type { OutsideCall, OutsideReply, OutsideService } from './protocol.js';

const services: Readonly<Record<string, () => Promise<{ readonly default: OutsideService }>>> = {
  http: () => import('./http.js'),
  s3: () => import('./s3.js'),
  glue: () => import('./glue.js'),
  azure: () => import('./azure.js'),
  gcloud: () => import('./gcloud.js'),
  databricks: () => import('./databricks.js'),
  parquet: () => import('./parquet.js'),
};

const { port, replied, maxBody } = workerData as {
  readonly port: MessagePort;
  readonly replied: SharedArrayBuffer;
  readonly maxBody: number;
};
const signal = new Int32Array(replied);

port.on('message', (call: OutsideCall) => {
  void answer(call).then(reply => {
    port.postMessage(reply);
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  });
});

async function answer({ service, method, input }: OutsideCall): Promise<OutsideReply> {
  try {
    const methods = (await services[service]?.())?.default;
    const work = methods?.[method];
    if (!work) throw new TypeError(`there is no ${service}.${method}`);
    return { kind: 'result', value: await work(new Input(input), { maxBody }) };
  } catch (error) {
    return { kind: 'failure', message: error instanceof Error ? error.message || error.name : String(error) };
  }
}
