/** The thread of one script: everything is ready before the script arrives, and nothing is used again after it. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { postLast } from '@srv/kernel/threads';
import { Arguments } from './arguments.js';
import { exportScripts } from './export-scripts.js';
import { LuaEngine } from './lua-engine.js';
import { LuaError, bytesOf, fromJson, table, textOf } from './lua-value.js';
import { createModules, httpModule } from './modules/index.js';
import { OutsideLink } from './outside-link.js';
import { ServerLink } from './server-link.js';
import type { LuaFunction, LuaModules } from './arguments.js';
import type { LuaValue } from './lua-value.js';
import type { FromThread, Job, ThreadData } from './protocol.js';

// The engine prints a line each time it is refused memory.
console.error = console.warn = () => undefined;

const data = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error('thread/main.ts runs as a worker thread');
const tell = (message: FromThread): void => port.postMessage(message);
const link = new ServerLink(port, data.memory);
const modules = createModules({ link, outside: new OutsideLink(link, data.maxBody) });
const functions = functionsOf(modules);
const engine = await LuaEngine.open(data.maxMemory);
engine.prepare(readFileSync(new URL('../../../lua/prelude.lua', import.meta.url), 'latin1'), '=prelude', callModule, [
  table({
    modules: new Map(Object.entries(modules).map(([name, group]) => [name, Object.keys(group)])),
    exports: new Map(Object.entries(exportScripts)),
  }),
]);
port.once('message', (job: Job) => postLast({ kind: 'done', ...run(job) } satisfies FromThread));
tell({ kind: 'ready' });

/** @returns why the script failed, if it did. */
function run(job: Job): { readonly failure?: string } {
  link.begin();
  const withheld = job.netHttp ? [] : [httpModule];
  for (const name of functions.keys()) if (withheld.some(module => name.startsWith(`${module}.`))) functions.delete(name);
  try {
    const [failure] = engine.call([
      table({
        script: Buffer.from(job.script).toString('latin1'),
        action: fromJson(job.action),
        args: fromJson(job.args),
        username: bytesOf(job.username),
        withheld,
      }),
    ]);
    return failure === undefined ? {} : { failure: textOf(String(failure)) };
  } catch (error) {
    return { failure: `runtime error: ${textOf(messageOf(error))}` };
  }
}

function callModule(name: string, args: readonly LuaValue[]): readonly LuaValue[] {
  const work = functions.get(name);
  if (!work) throw new LuaError(`there is no ${name}`);
  return work(new Arguments(args));
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return 'stack overflow';
  return error instanceof Error ? error.message : String(error);
}

function functionsOf(modules: LuaModules): Map<string, LuaFunction> {
  return new Map(
    Object.entries(modules).flatMap(([module, group]) => Object.entries(group).map(([name, work]) => [`${module}.${name}`, work] as const)),
  );
}
