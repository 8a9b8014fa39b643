/** Pasted text is taken as it is: its tabs complete nothing, and its lines wait together until Enter is pressed. */
import type { Key } from 'node:readline';
import type { REPLServer } from 'node:repl';
import type { TypeAhead } from './type-ahead.js';

/** What makes a terminal mark pastes, and what ends that. */
const marks = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

type KeyListener = (text: string | undefined, key: Key) => void;

/** Does nothing where keys cannot be seen. */
export function takePastes(server: REPLServer, output: NodeJS.WritableStream, typeAhead: TypeAhead): void {
  const type: unknown = Reflect.get(server, '_ttyWrite');
  const insert: unknown = Reflect.get(server, '_insertString');
  if (typeof type !== 'function' || typeof insert !== 'function') return;
  const insertBlock = (block: string): void => {
    // Put in front of its own last character: where text is appended, Node.js 24 does not see that it has several lines.
    withCompletion(server, true, () => {
      const at = server.cursor;
      Reflect.apply(insert, server, [block.slice(-1)]);
      moveCursor(server, at);
      Reflect.apply(insert, server, [block.slice(0, -1)]);
      moveCursor(server, server.cursor + 1);
    });
  };
  let pasted: string | undefined;
  const onKey: KeyListener = (text, key) => {
    if (isSignal(key)) {
      // Otherwise, all keys after a paste whose end was lost would belong to it.
      pasted = undefined;
      Reflect.apply(type, server, [text, key]);
    } else if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      const whole = (pasted ?? '').replace(/\r\n?/g, '\n').replace(/(?<!\n)\n+$/, '');
      pasted = undefined;
      if (whole !== '') typeAhead.take(() => insertBlock(whole));
    } else if (pasted === undefined) {
      const completes: unknown = Reflect.get(server, 'isCompletionEnabled');
      typeAhead.take(() => withCompletion(server, completes, () => void Reflect.apply(type, server, [text, key])));
    } else pasted += text ?? key.sequence ?? '';
  };
  Reflect.set(server, '_ttyWrite', onKey);
  output.write(marks.on);
  server.once('exit', () => output.write(marks.off));
}

/**
 * While several keys arrive at once, as in a paste without marks, Node.js completes nothing, and appends what is
 * inserted wherever the cursor is.
 */
function withCompletion(server: REPLServer, isEnabled: unknown, work: () => void): void {
  const before: unknown = Reflect.get(server, 'isCompletionEnabled');
  Reflect.set(server, 'isCompletionEnabled', isEnabled);
  try {
    work();
  } finally {
    Reflect.set(server, 'isCompletionEnabled', before);
  }
}

/** Keys that interrupt and suspend, whatever runs. */
function isSignal({ ctrl, name }: Key): boolean {
  return ctrl === true && (name === 'c' || name === 'z');
}

/** Not by a key: while the shell works at something, keys wait, and text that is inserted does not. */
function moveCursor(server: REPLServer, to: number): void {
  Reflect.set(server, 'cursor', to);
  const refresh: unknown = Reflect.get(server, '_refreshLine');
  if (typeof refresh === 'function') Reflect.apply(refresh, server, []);
}
