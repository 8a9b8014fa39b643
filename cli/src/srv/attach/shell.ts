/** One shell inside a server that runs: its lines work on the kernel that serves. */
import { createContext, loadCommands } from '../../run.js';
import { runBatch } from '../../shell/batch.js';
import { Evaluator } from '../../shell/evaluator.js';
import { addHelp } from '../../shell/help.js';
import { plainHost } from '../../shell/plain-host.js';
import { evaluateTyped } from '../../shell/program-run.js';
import { Session } from '../../shell/session.js';
import { kernelHelp, kernelNames } from '../kernel-names.js';
import { OwnClient } from '../own-client.js';
import type { Kernel } from '@srv/kernel';
import type { Evaluated } from '../../shell/evaluator.js';
import type { ToServer, ToShell } from './socket.js';

interface Outputs {
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** What errors call the program. */
  readonly file: string;
}

interface AttachedShell {
  run(message: Exclude<ToServer, { kind: 'interrupt' }>): Promise<ToShell>;
  interrupt(): void;
  close(): void;
}

export async function openShell(kernel: Kernel, { output, errors, file }: Outputs): Promise<AttachedShell> {
  addHelp(kernelHelp);
  const client = new OwnClient(kernel, { isServing: true });
  const ending = new AbortController();
  const base = await createContext({}, await loadCommands(), { signal: ending.signal });
  const names = { ...base.names(), ...kernelNames(kernel) };
  const tell = (line: string): void => void errors.write(`${line}\n`);
  const context = { ...base, client: () => client.get(), names: () => names, tell, warn: (line: string) => tell(`Warning: ${line}`) };
  const session = new Session({ context, output, errors });
  const host = plainHost(output);
  const console = { stdout: output, stderr: errors };
  const evaluator = new Evaluator({ session, args: [], names, console, host });
  const done = ({ exitCode, leaves }: Pick<Evaluated, 'exitCode' | 'leaves'>): ToShell => ({
    kind: 'done',
    exitCode,
    leaves: leaves === true,
    place: session.place.toString(),
  });
  return {
    run: async message => {
      if (message.kind === 'run') {
        const options = {
          session,
          output,
          errors,
          args: [],
          names,
          keepGoing: message.keepGoing,
          json: false,
          showValues: true,
          host: plainHost(output),
        };
        return done({ exitCode: await runBatch(message.text, message.file, options) });
      }
      const result = await evaluateTyped(evaluator, message.text, file);
      if (result === undefined) return { kind: 'more' };
      if (!result.isCommand && result.exitCode === 0 && result.value !== undefined) output.write(`${host.writer(result.value)}\n`);
      return done(result);
    },
    interrupt: () => void session.interrupt(),
    close: () => {
      ending.abort();
      client.close();
    },
  };
}
