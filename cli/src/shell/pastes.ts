/** Pasted text is taken as it is: its tabs complete nothing, and its lines wait together until Enter is pressed. */
import type { Key } from 'node:readline';
import type { REPLServer } from 'node:repl';

/** What makes a terminal mark pastes, and what ends that. */
const marks = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

type KeyListener = (text: string | undefined, key: Key) => void;

/** Does nothing where keys cannot be seen. */
export function takePastes(server: REPLServer, output: NodeJS.WritableStream): void {
  const type: unknown = Reflect.get(server, '_ttyWrite');
  const insert: unknown = Reflect.get(server, '_insertString');
  if (typeof type !== 'function' || typeof insert !== 'function') return;
  let pasted: string | undefined;
  const onKey: KeyListener = (text, key) => {
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      const whole = (pasted ?? '').replace(/\r\n?/g, '\n').replace(/\n+$/, '');
      pasted = undefined;
      if (whole === '') return;
      // Put in front of its own last character: where text is appended, Node.js 24 does not see that it has several lines.
      const at = server.cursor;
      Reflect.apply(insert, server, [whole.slice(-1)]);
      moveCursor(server, at);
      Reflect.apply(insert, server, [whole.slice(0, -1)]);
      moveCursor(server, server.cursor + 1);
    } else if (pasted === undefined) Reflect.apply(type, server, [text, key]);
    else pasted += text ?? key.sequence ?? '';
  };
  Reflect.set(server, '_ttyWrite', onKey);
  output.write(marks.on);
  server.once('exit', () => output.write(marks.off));
}

/** Not by a key: while the shell works at something, keys wait, and text that is inserted does not. */
function moveCursor(server: REPLServer, to: number): void {
  Reflect.set(server, 'cursor', to);
  const refresh: unknown = Reflect.get(server, '_refreshLine');
  if (typeof refresh === 'function') Reflect.apply(refresh, server, []);
}
