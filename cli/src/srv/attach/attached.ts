/** `srv repl` at a server that runs: lines go there, and what they print comes back. */
import { connect } from 'node:net';
import { Recoverable, start } from 'node:repl';
import { keepHistory } from '../../shell/history.js';
import { keepPartialLines } from '../../shell/partial-lines.js';
import { orderTyping } from '../../shell/typing.js';
import { messages, send } from './socket.js';
import type { Socket } from 'node:net';
import type { CommandContext } from '@srv/lib-commands';
import type { ToServer, ToShell } from './socket.js';

type Done = Extract<ToShell, { kind: 'more' | 'done' }>;

/** The connection to a server of this installation. */
export class Attached {
  readonly #socket: Socket;
  readonly #answers: AsyncGenerator<ToShell>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answers = messages(socket);
  }

  /** @returns `undefined` when no server runs there. */
  static open(path: string): Promise<Attached | undefined> {
    return new Promise(resolve => {
      const socket = connect(path);
      socket.once('error', () => resolve(undefined));
      socket.once('connect', () => resolve(new Attached(socket)));
    });
  }

  /** Runs lines and prints what they print. @throws Error when the server ends meanwhile. */
  async ask(message: ToServer): Promise<Done> {
    send(this.#socket, message);
    for (;;) {
      const { value, done } = await this.#answers.next();
      if (done) throw new Error('the server has ended');
      if (value.kind === 'more' || value.kind === 'done') return value;
      process[value.kind === 'output' ? 'stdout' : 'stderr'].write(Buffer.from(value.bytes, 'base64'));
    }
  }

  /** Reads lines at the terminal until the person leaves. */
  async interact(context: Pick<CommandContext, 'env' | 'home' | 'tell'>): Promise<void> {
    const server = start({
      prompt: 'srv> ',
      preview: false,
      eval: (text, _context, _file, done) => {
        const finish = (...result: readonly unknown[]): void => {
          Reflect.apply(done, undefined, result);
          lines.end();
        };
        lines.begin();
        this.ask({ kind: 'typed', text }).then(answer => {
          if (answer.kind === 'more') return finish(new Recoverable(new SyntaxError('more is to come')));
          server.setPrompt(`${answer.place || 'srv'}> `);
          return answer.leaves ? server.close() : finish(null);
        }, finish);
      },
    });
    const typing = orderTyping(server);
    const { lines } = typing;
    server.on('SIGINT', () => {
      typing.clear();
      send(this.#socket, { kind: 'interrupt' });
    });
    await keepHistory(server, context);
    keepPartialLines(server);
    await new Promise<void>(resolve => {
      server.once('exit', resolve);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
