/** Runs a script in a session of its own. */

import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { text as textOfStream } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { messageOf } from '@srv/kernel';
import { ExitError, readNamed, textOf } from '@srv/lib-commands';
import { offer } from '../output/outlet.js';
import { outliveOutputs, outputFault } from '../outputs.js';
import { runBatch } from './batch.js';
import { lineOfWords } from './line.js';
import { Session } from './session.js';
import type { CommandContext, OptionValue } from '@srv/lib-commands';

/** The lines of `--eval` as a script; absent: none were given. */
export function linesScript(lines: readonly string[]): Pick<Script, 'text' | 'file' | 'showValues'> | undefined {
  return lines.length === 0 ? undefined : { text: lines.join('\n'), file: '--eval', showValues: true };
}

/** Where a script comes from: a file, or `-` for standard input. */
export async function readScript(file: string): Promise<string> {
  return file === '-' ? textOfStream(process.stdin) : (await readNamed(file)).toString('utf8');
}

export interface Script {
  readonly text: string;
  /** For messages. */
  readonly file: string;
  readonly args: readonly string[];
  /** Values of expressions are printed. */
  readonly showValues?: boolean;
  /** Place to begin at. */
  readonly place?: string;
}

/** @throws ExitError with the exit code of the first failure. */
export async function runScript(context: CommandContext, script: Script, options: Readonly<Record<string, OptionValue>>): Promise<void> {
  const transcript = textOf(options.transcript);
  const record = transcript === undefined ? undefined : createWriteStream(transcript, { mode: 0o600 });
  // The script continues; the failure is reported at its end.
  record?.on('error', () => {});
  const output = record ? new Tee(process.stdout, record) : process.stdout;
  const tell = (line: string): void => {
    context.tell(line);
    record?.write(`${line}\n`);
  };
  const errors = record ? new Tee(process.stderr, record) : process.stderr;
  outliveOutputs();
  const session = new Session({
    context: { ...context, tell },
    output,
    errors,
    dryRun: options['dry-run'] === true,
    wholeLists: true,
    format: context.format,
  });
  if (script.place !== undefined) await session.call(lineOfWords(['use', script.place]));
  const code = await runBatch(script.text, script.file, {
    session,
    output,
    errors,
    args: script.args,
    names: context.names(),
    keepGoing: options['keep-going'] === true,
    json: context.format === 'json',
    showValues: script.showValues ? true : undefined,
    onLine: record ? (line: string) => void record.write(`> ${line}\n`) : undefined,
  });
  if (record)
    await finished(record.end()).catch((error: unknown) => {
      throw new Error(`--transcript: ${transcript} cannot be written: ${messageOf(error)}`, { cause: error });
    });
  if (code !== 0) throw new ExitError(code);
  const fault = outputFault();
  if (fault) throw new Error(`standard output cannot be written: ${fault.message}`, { cause: fault });
}

/** Writes to both. */
class Tee extends Writable {
  readonly #targets: readonly NodeJS.WritableStream[];

  constructor(...targets: readonly NodeJS.WritableStream[]) {
    super();
    this.#targets = targets;
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    Promise.all(this.#targets.map(target => offer(target, chunk))).then(() => done(), done);
  }
}
