/** `srv repl`: the operator's console, on the stores of a server that does not run. */
import { isExitError } from '@srv/lib-commands';
import { createContext, loadCommands } from '../run.js';
import { runInteractive } from '../shell/interactive.js';
import { linesScript, readScript, runScript } from '../shell/script.js';
import { Session } from '../shell/session.js';
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
  await kernel.start({ serve: false });
  const client = new OwnClient(kernel);
  try {
    const base = await createContext({}, await loadCommands());
    const own = { kernel, config: kernel.config, services: kernel.services, hooks: kernel.hooks };
    const context = { ...base, client: () => client.get(), names: () => ({ ...base.names(), ...own }) };
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
