/** The shell in its worker: it never blocks the page, and the page can end it at any time. */
import './process-global.js';
import { engineCommands } from '@srv/engine/commands';
import { CommandTable } from '@srv/engine/shell';
import { Server, messageOf } from '@srv/lib-page/wire';
import { PageShell } from '../../src/shell/page-shell.js';
import { addPluginCommands } from '../../src/shell/plugin-commands.js';
import { bundled, elsewhere } from './bundled-parts.js';
import { sender } from './send.js';
import type { OperationRow } from '@srv/lib-page/wire';
import type { FromWorker, ShellBoot, ShellPart, ToWorker } from '../../src/shell/protocol.js';

/** Type definitions of workers and of pages exclude each other; this is all that is used. */
interface WorkerScope {
  postMessage(message: FromWorker): void;
  addEventListener(name: 'message', listener: (event: { readonly data: ToWorker }) => void): void;
}

const scope: WorkerScope = self;
const post = (message: FromWorker): void => scope.postMessage(message);

let shell: Promise<PageShell> | undefined;
/** The line that runs changed something on the server. */
let changed = false;
let answer: ((agreed: boolean) => void) | undefined;

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') shell = start(data.boot);
  else if (data.kind === 'answer') answer?.(data.agreed);
  else if (shell) void shell.then(ready => obey(ready, data));
});

async function obey(ready: PageShell, message: Exclude<ToWorker, { readonly kind: 'start' | 'answer' }>): Promise<void> {
  if (message.kind === 'stop') ready.stop();
  else if (message.kind === 'place') {
    ready.place.move(message.uri);
    post({ kind: 'moved', place: ready.place.toString() });
  } else if (message.kind === 'complete') {
    const found = await ready.complete(message.line).catch(() => ({ candidates: [], partial: '' }));
    post({ kind: 'completed', id: message.id, ...found });
  } else {
    const { id, line } = message;
    changed = false;
    const failed = await ready.run(line, event => post({ kind: 'event', id, event }));
    post({ kind: 'done', id, failed, changed, place: ready.place.toString() });
  }
}

async function start(boot: ShellBoot): Promise<PageShell> {
  const commands = new CommandTable();
  for (const command of engineCommands) commands.add(command, 'cli');
  const problems = (await Promise.all(boot.parts.map(part => load(commands, part, boot.base)))).filter(problem => problem !== undefined);
  const server = new Server({
    version: boot.version,
    operations: boot.operations as Readonly<Record<string, OperationRow>>,
    base: boot.base,
    onSessionEnd: () => post({ kind: 'session-over' }),
  });
  const ready = new PageShell({
    commands,
    elsewhere: { ...elsewhere, ...boot.elsewhere },
    send: sender(server, () => {
      changed = true;
    }),
    endpoint: new URL('api/v1', boot.base),
    ask,
  });
  if (boot.place !== undefined) ready.place.move(boot.place);
  post({ kind: 'moved', place: ready.place.toString() });
  post({ kind: 'ready', problems });
  return ready;
}

/** @returns why the commands of a plugin are missing. */
async function load(commands: CommandTable, { plugin, file }: ShellPart, base: string): Promise<string | undefined> {
  try {
    const found =
      file === undefined
        ? await bundled[plugin]?.()
        : ((await import(/* @vite-ignore */ new URL(`assets/${file}`, base).href)) as { readonly default?: unknown });
    return found ? addPluginCommands(commands, plugin, found) : undefined;
  } catch (error) {
    return `the shell part of plugin ${plugin} cannot be loaded: ${messageOf(error)}`;
  }
}

function ask(question: string, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    const done = (agreed: boolean): void => {
      answer = undefined;
      resolve(agreed);
    };
    answer = done;
    signal.addEventListener('abort', () => done(false), { once: true });
    post({ kind: 'ask', question });
  });
}
