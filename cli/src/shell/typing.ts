/** Lines are evaluated one after the other, whatever is typed or pasted meanwhile. */
import { LineQueue } from './line-queue.js';
import { takePastes } from './pastes.js';
import { TypeAhead } from './type-ahead.js';
import type { REPLServer } from 'node:repl';

export interface Typing {
  /** Says when a line begins and ends. */
  readonly lines: LineQueue;
  /** Forgets what has not begun. */
  clear(): void;
}

/** @param isAsking whether the line that runs itself asks for input. */
export function orderTyping(server: REPLServer, isAsking: () => boolean = () => false): Typing {
  const lines = new LineQueue(server, () => typeAhead.replay());
  const typeAhead = new TypeAhead(() => lines.isBusy && !isAsking());
  takePastes(server, server.output, typeAhead);
  return {
    lines,
    clear: () => {
      lines.clear();
      typeAhead.clear();
    },
  };
}
