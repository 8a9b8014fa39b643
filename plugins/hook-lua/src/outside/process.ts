/** The process that calls services outside. Each service is loaded when a script first uses it. */
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

const maxBody = Number(process.argv[2]);
process.on('message', (call: OutsideCall) => void answer(call).then(reply => process.send?.(reply)));
// The script has ended, or was stopped.
process.on('disconnect', () => process.exit());

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
