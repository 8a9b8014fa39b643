/** A pseudo-terminal in which a person types and looks. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Reason to skip tests that need one; `false`: none. */
export const noTerminal: string | false = (() => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'needs tmux';
  }
})();

/** Milliseconds; generous, since all test files share the machine. */
const timeoutMs = 60_000;

export class Terminal {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** @param folder where the words run, and where the terminal has its socket. */
  static async open(folder: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<Terminal> {
    const terminal = new Terminal(join(folder, 'terminal'));
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    await terminal.#call('new-session', '-d', '-x', '240', '-y', '50', '-c', folder, 'env', '-u', 'NO_COLOR', ...settings, ...words);
    return terminal;
  }

  async #call(...args: string[]): Promise<string> {
    const { stdout } = await execute('tmux', ['-S', this.#socket, '-f', '/dev/null', ...args], { env: { ...process.env, TMUX: '' } });
    return stdout;
  }

  /**
   * @param colours with their escape sequences.
   * @param joined lines that are wider than the screen are whole.
   */
  screen({ colours = false, joined = false } = {}): Promise<string> {
    return this.#call('capture-pane', '-p', ...(colours ? ['-e'] : []), ...(joined ? ['-J'] : []));
  }

  async resize(columns: number): Promise<void> {
    await this.#call('resize-window', '-x', String(columns));
  }

  /** Types a line. */
  async type(line: string): Promise<void> {
    await this.#call('send-keys', '-l', line);
    await this.press('Enter');
  }

  /**
   * Pastes a text as terminals do: marked, if the program requested it.
   * @param marked `false`: as terminals do that know no marks; line ends are those of Enter.
   */
  async paste(text: string, { marked = true } = {}): Promise<void> {
    const loading = execute('tmux', ['-S', this.#socket, 'load-buffer', '-'], { env: { ...process.env, TMUX: '' } });
    loading.child.stdin?.end(text);
    await loading;
    await this.#call('paste-buffer', ...(marked ? ['-p', '-r'] : []));
  }

  /** Sends bytes as they are, such as a half of a marked paste. */
  async send(bytes: string): Promise<void> {
    await this.paste(bytes.replaceAll('\n', '\r'), { marked: false });
  }

  /** Presses a key, such as `C-c`. */
  async press(key: string): Promise<void> {
    await this.#call('send-keys', key);
  }

  /** Wipes what is shown. */
  async clear(): Promise<void> {
    await this.type('clear');
    await this.until(/^\S*\$ *\n*$/);
  }

  /** Looks until it is there. @returns the screen then. */
  async until(wanted: RegExp): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const screen = await this.screen();
      if (wanted.test(screen)) return screen;
      assert.ok(Date.now() < deadline, `${wanted} does not appear:\n${screen}`);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    await this.#call('kill-server').catch(() => '');
  }
}
