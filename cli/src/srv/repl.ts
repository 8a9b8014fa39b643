/** `srv repl`: the operator's console, in a server that runs, or on the stores of one that does not. */
import { isExitError } from '@srv/lib-commands';
import { createContext, loadCommands } from '../run.js';
import { addHelp } from '../shell/help.js';
import { runInteractive } from '../shell/interactive.js';
import { linesScript, readScript, runScript } from '../shell/script.js';
import { Session } from '../shell/session.js';
import { Attached } from './attach/attached.js';
import { socketPath } from './attach/socket.js';
import { kernelHelp, kernelNames } from './kernel-names.js';
import { OwnClient, ownListener } from './own-client.js';
import { quietLog, serverKernel } from './server-kernel.js';
import type { SrvFlags } from './flags.js';

export interface ReplFlags extends SrvFlags {
  readonly eval?: readonly string[];
  readonly keepGoing?: boolean;
}

/** @returns the exit code. @throws what keeps the kernel from starting. */
export async function serverRepl(flags: ReplFlags): Promise<number> {
  const kernel = serverKernel(flags, { overrides: [...quietLog, ...ownListener] });
  await kernel.load();
  await kernel.prepare();
  await kernel.configure();
  const path = socketPath(kernel);
  const server = path === undefined ? undefined : await Attached.open(path);
  if (server) return atServer(server, flags);
  await kernel.start({ serve: false });
  const client = new OwnClient(kernel);
  try {
    const base = await createContext({}, await loadCommands());
    addHelp(kernelHelp);
    const context = { ...base, client: () => client.get(), names: () => ({ ...base.names(), ...kernelNames(kernel) }) };
    const lines =
      linesScript(flags.eval ?? []) ?? (base.terminal.canAsk ? undefined : { text: await readScript('-'), file: 'standard input' });
    if (lines) await runScript(context, { ...lines, args: [] }, { 'keep-going': flags.keepGoing });
    else await runInteractive({ session: new Session({ context, output: process.stdout }), names: context.names(), title: 'srv' });
    return 0;
  } catch (error) {
    if (isExitError(error)) return error.exitCode;
    throw error;
  } finally {
    client.close();
    await kernel.stop();
  }
}

/** @returns the exit code. */
async function atServer(server: Attached, { eval: lines, keepGoing = false }: ReplFlags): Promise<number> {
  try {
    const context = await createContext({}, await loadCommands());
    context.tell('attached to the running server');
    const script =
      linesScript(lines ?? []) ?? (context.terminal.canAsk ? undefined : { text: await readScript('-'), file: 'standard input' });
    if (!script) {
      await server.interact(context);
      return 0;
    }
    const answer = await server.ask({ kind: 'run', text: script.text, file: script.file, keepGoing });
    return answer.kind === 'done' ? answer.exitCode : 1;
  } finally {
    server.close();
  }
}
