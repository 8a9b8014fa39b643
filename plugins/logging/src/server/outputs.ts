/** Where lines go: standard output, standard error, files. */

import { SrvError, messageOf, key } from '@srv/kernel';
import { RotatingFile } from './rotating-file.js';
import type { RotationRules } from './rotating-file.js';
import { textLine } from './text-line.js';

export interface Output {
  write(line: string): void;
  close(): void;
}

const streams: Readonly<Record<string, NodeJS.WriteStream>> = { '-': process.stdout, '=': process.stderr };

/** @throws SrvError `config` naming the file that cannot be opened. */
export function openOutputs(names: readonly string[], format: string, rules: RotationRules): Output {
  const outputs = [...new Set(names)].map(name => openOutput(name, rules));
  const shape = format === 'text' ? textLine : (line: string) => line;
  let complained = false;
  return {
    write: line => {
      const text = shape(line);
      for (const output of outputs) {
        try {
          output.write(text);
        } catch (error) {
          // A full disk must not stop the server; once is enough to tell.
          if (!complained) process.stderr.write(`logging: a log line could not be written: ${messageOf(error)}\n`);
          complained = true;
        }
      }
    },
    close: () =>
      outputs.forEach(output => {
        output.close();
      }),
  };
}

function openOutput(name: string, rules: RotationRules): Output {
  const stream = streams[name];
  if (stream) return { write: line => void stream.write(line), close: () => {} };
  try {
    return new RotatingFile(key.expandHome(name), rules);
  } catch (error) {
    throw new SrvError('config', `logging.output: ${name} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}
