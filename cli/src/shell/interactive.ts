/** The shell at a terminal: node:repl with our lines in it. */
import { readFile } from 'node:fs/promises';
import { Recoverable, start } from 'node:repl';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ShellCompleter, commonStart, completedLine, replacedAt } from '@srv/engine/shell';
import { localPaths } from '../local-paths.js';
import { Evaluator } from './evaluator.js';
import { keepHistory } from './history.js';
import { pager } from './pager.js';
import { keepPartialLines } from './partial-lines.js';
import { evaluateTyped, readWhole, runStatements } from './program-run.js';
import { orderTyping } from './typing.js';
import type { REPLServer } from 'node:repl';
import type { Context } from 'node:vm';
import type { LineQueue } from './line-queue.js';
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
  const server = start({
    prompt: prompt(),
    input: process.stdin,
    output: process.stdout,
    breakEvalOnSigint: true,
    useGlobal: false,
    preview: false,
  });
  const evaluator = new Evaluator({ session, args: [], names, host: server });
  const javascriptCompleter = server.completer;
  const completer = new ShellCompleter(session, localPaths);
  let isAsking = false;
  const typing = orderTyping(server, () => isAsking);
  const { lines } = typing;
  redrawAtPrompt(() => !lines.isBusy || isAsking);
  const timing = addTiming(server);
  const javascript = server.eval;
  let completing = false;
  Object.assign(server, {
    eval: (line: string, context: Context, file: string, done: (error: Error | null, value?: unknown) => void) => {
      // Completion's lookups are not lines of the user.
      if (completing) return javascript.call(server, line, context, file, done);
      lines.begin();
      const finish = (error: Error | null, ...value: readonly unknown[]): void => {
        Reflect.apply(done, undefined, [error, ...value]);
        lines.end();
      };
      timing(() => evaluateTyped(evaluator, line, file)).then(result => {
        server.setPrompt(prompt());
        if (result === undefined) return finish(new Recoverable(new SyntaxError('more is to come')));
        if (result.leaves) return server.close();
        // What a command printed is its answer; with one argument nothing is printed again.
        return result.isCommand || result.exitCode !== 0 ? finish(null) : finish(null, result.value);
      }, finish);
    },
    completer: (line: string, done: (error?: Error | null, result?: [string[], string]) => void) => {
      completer.complete(line).then(
        found => {
          if (found) return done(null, insertion(line, ...found));
          completing = true;
          try {
            javascriptCompleter.call(server, line, done);
          } finally {
            completing = false;
          }
        },
        () => done(null, [[], line]),
      );
    },
  });
  addLoad(server, evaluator, lines, () => server.setPrompt(prompt()));
  interruptible(server, session, () => typing.clear());
  session.prompt = (question, signal) =>
    new Promise(resolve => {
      const decide = (answer: boolean): void => {
        // At once: what was pasted after the answer is for the prompt.
        isAsking = false;
        resolve(answer);
      };
      isAsking = true;
      signal.addEventListener('abort', () => decide(false), { once: true });
      server.question(`${question} [y/N]? `, { signal }, answer => decide(/^y(es)?$/i.test(answer.trim())));
    });
  const lend = lendTerminal(server);
  session.withTerminal = lend;
  session.withPager = pager({ env: session.context.env, output: process.stdout, lend });
  await keepHistory(server, session.context);
  server.displayPrompt();
  keepPartialLines(server);
  await new Promise<void>(resolve => {
    server.once('exit', resolve);
  });
  completer.close();
}

/**
 * @param typed what all candidates begin with.
 * @returns for readline: what it inserts instead of which text, or several candidates that it lists.
 */
function insertion(line: string, candidates: string[], typed: string): [string[], string] {
  const common = commonStart(candidates);
  const isChoice = candidates.length > 1 && common.length <= typed.length;
  if (isChoice || candidates.length === 0) return [candidates, typed];
  const at = replacedAt(line);
  return [[completedLine(line, common, false).slice(at)], line.slice(at)];
}

/** `.load FILE` runs a program. */
function addLoad(server: REPLServer, evaluator: Evaluator, lines: LineQueue, onPlace: () => void): void {
  const { session } = evaluator;
  server.defineCommand('load', {
    help: 'Run the program of a file',
    action(argument) {
      const file = argument.trim();
      lines.begin();
      const next = (leaves = false): void => {
        onPlace();
        if (leaves) server.close();
        else server.displayPrompt();
        lines.end();
      };
      readFile(file, 'utf8')
        .then(text => runStatements(evaluator, readWhole(evaluator, text, file), file))
        .then(
          result => next(result.leaves),
          (error: unknown) => {
            session.report(error);
            next();
          },
        );
    },
  });
}

type Timing = <T>(work: () => Promise<T>) => Promise<T>;

/** `.timing` switches it on and off. */
function addTiming(server: REPLServer): Timing {
  let isOn = false;
  server.defineCommand('timing', {
    help: 'Turn the display of how long each line takes on or off',
    action() {
      isOn = !isOn;
      server.output.write(`timing is ${isOn ? 'on' : 'off'}\n`);
      server.displayPrompt();
    },
  });
  return async work => {
    const start = performance.now();
    try {
      return await work();
    } finally {
      if (isOn) server.output.write(`(${(performance.now() - start).toFixed(1)} ms)\n`);
    }
  };
}

/** A terminal that is resized while a line runs must not show the prompt in the middle of what the line prints. */
function redrawAtPrompt(isAtPrompt: () => boolean): void {
  const { stdout } = process;
  const redraws = stdout.listeners('resize') as (() => void)[];
  stdout.removeAllListeners('resize');
  stdout.on('resize', () => {
    if (isAtPrompt()) for (const redraw of redraws) redraw();
  });
}

type Lend = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The keys go to a program while it runs, Ctrl-C as a signal that the shell survives. Such a signal at any other moment,
 * as when the program has just ended, is Ctrl-C at the prompt; so is one that may have come before the program was there.
 */
function lendTerminal(server: REPLServer): Lend {
  const { stdin } = process;
  let isLent = false;
  let begins = 0;
  process.removeAllListeners('SIGINT');
  process.on('SIGINT', () => {
    if (!isLent || begins > 0) server.emit('SIGINT');
  });
  return async work => {
    isLent = true;
    begins++;
    // The second turn has taken in the signals that came until the first one ended.
    void nextTurn()
      .then(nextTurn)
      .finally(() => begins--);
    server.pause();
    if (stdin.isTTY) stdin.setRawMode(false);
    try {
      return await work();
    } finally {
      // A signal that is on its way was meant for the program.
      await nextTurn();
      isLent = false;
      if (stdin.isTTY) stdin.setRawMode(true);
      server.resume();
    }
  };
}

/** Ctrl-C ends what runs and drops what was typed meanwhile; at the prompt it does what it does in every shell. */
function interruptible(server: REPLServer, session: Session, dropWaiting: () => void): void {
  const usual = server.listeners('SIGINT');
  server.removeAllListeners('SIGINT');
  server.on('SIGINT', () => {
    dropWaiting();
    if (session.interrupt()) return;
    for (const listener of usual) Reflect.apply(listener, server, []);
  });
}
