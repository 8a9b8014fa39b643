/** The shell at a terminal: node:repl with our lines in it. */
import { Recoverable } from 'node:repl';
import type { REPLServer } from 'node:repl';
import { Evaluator, more } from './evaluator.js';
import { ShellCompleter } from './completer.js';
import { keepHistory } from './history.js';
import type { Session } from './session.js';

export interface InteractiveOptions {
  readonly session: Session;
  readonly names: Readonly<Record<string, unknown>>;
  /** Word before the place in the prompt. */
  readonly title: string;
}

/** Resolves when the person leaves. */
export async function runInteractive({ session, names, title }: InteractiveOptions): Promise<void> {
  const prompt = (): string => `${session.place.toString() || title}> `;
  const evaluator = new Evaluator({
    session,
    args: [],
    names,
    repl: { prompt: prompt(), input: process.stdin, output: process.stdout, breakEvalOnSigint: true },
  });
  const { server } = evaluator;
  const javascriptCompleter = server.completer;
  const completer = new ShellCompleter(session);
  /** Of lines that come in one go each waits for the one before. */
  let last: Promise<unknown> = Promise.resolve();
  Object.assign(server, {
    eval: (line: string, _context: unknown, file: string, done: (error: Error | null, value?: unknown) => void) => {
      last = last
        .then(() => evaluator.evaluate(line, file))
        .then(result => {
          server.setPrompt(prompt());
          if (result === more) done(new Recoverable(new SyntaxError('more is to come')));
          // What a command printed is its answer; with one argument nothing is printed again.
          else if (result.isCommand || result.exitCode !== 0) done(null);
          else done(null, result.value);
        }, done);
    },
    completer: (line: string, done: (error?: Error | null, result?: [string[], string]) => void) => {
      completer.complete(line).then(
        found => {
          if (found) done(null, found);
          else javascriptCompleter.call(server, line, done);
        },
        () => done(null, [[], line]),
      );
    },
  });
  interruptible(evaluator, session);
  session.asks = (question, signal) =>
    new Promise(resolve => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
      server.question(`${question} [y/N]? `, { signal }, answer => resolve(/^y(es)?$/i.test(answer.trim())));
    });
  session.lends = work => lendTerminal(server, work);
  await keepHistory(server, session.context);
  server.displayPrompt();
  await new Promise<void>(resolve => {
    server.once('exit', resolve);
  });
}

/** The keys go to a program while it runs, Ctrl-C as a signal that the shell survives. */
async function lendTerminal<T>(server: REPLServer, work: () => Promise<T>): Promise<T> {
  const { stdin } = process;
  const listeners = process.listeners('SIGINT');
  const survive = (): void => {};
  server.pause();
  if (stdin.isTTY) stdin.setRawMode(false);
  process.removeAllListeners('SIGINT');
  process.on('SIGINT', survive);
  try {
    return await work();
  } finally {
    process.off('SIGINT', survive);
    for (const listener of listeners) process.on('SIGINT', listener);
    if (stdin.isTTY) stdin.setRawMode(true);
    server.resume();
  }
}

/** Ctrl-C ends what runs; at the prompt it does what it does in every shell. */
function interruptible(evaluator: Evaluator, session: Session): void {
  const { server } = evaluator;
  const usual = server.listeners('SIGINT');
  server.removeAllListeners('SIGINT');
  server.on('SIGINT', () => {
    // node:repl ends waiting JavaScript itself, and takes keys again.
    if (session.interrupt() && !evaluator.scripting) return;
    for (const listener of usual) Reflect.apply(listener, server, []);
  });
}
