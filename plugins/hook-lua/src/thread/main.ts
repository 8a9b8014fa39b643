/** The thread of one script: everything is ready before the script arrives, and nothing is used again after it. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Arguments } from './arguments.js';
import { exportScripts } from './export-scripts.js';
import { LuaError, bytesOf, fromJson, table, textOf } from './lua-value.js';
import { LuaEngine } from './lua-engine.js';
import { createModules } from './modules/index.js';
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
const prelude = readFileSync(new URL('../../../lua/prelude.lua', import.meta.url), 'latin1');
const engine = await LuaEngine.open(data.maxMemory);
port.once('message', (job: Job) => tell({ kind: 'done', ...run(job) }));
tell({ kind: 'ready' });

/** @returns why the script failed, if it did. */
function run(job: Job): { readonly failure?: string } {
  const link = new ServerLink(port as NonNullable<typeof port>, data.memory);
  const modules = createModules({ link, outside: new OutsideLink(link, data.maxBody), netHttp: job.netHttp });
  const functions = functionsOf(modules);
  const host = (name: string, args: readonly LuaValue[]): readonly LuaValue[] => {
    const work = functions.get(name);
    if (!work) throw new LuaError(`there is no ${name}`);
    return work(new Arguments(args));
  };
  const setting = table({
    script: Buffer.from(job.script).toString('latin1'),
    action: fromJson(job.action),
    args: fromJson(job.args),
    username: bytesOf(job.username),
    modules: new Map(Object.entries(modules).map(([name, group]) => [name, Object.keys(group)])),
    exports: new Map(Object.entries(exportScripts)),
  });
  try {
    const [failure] = engine.run(prelude, '=prelude', host, [setting]);
    return failure === undefined ? {} : { failure: textOf(String(failure)) };
  } catch (error) {
    return { failure: `runtime error: ${textOf(messageOf(error))}` };
  }
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
