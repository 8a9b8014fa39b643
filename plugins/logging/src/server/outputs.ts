/** Where lines go: standard output, standard error, files. */

import { SrvError, key, messageOf } from '@srv/kernel';
import { CountedOutput } from './counted-output.js';
import { RotatingFile } from './rotating-file.js';
import { textLine } from './text-line.js';
import type { LineTarget } from './counted-output.js';
import type { RotationRules } from './rotating-file.js';

export interface Output {
  write(line: string): void;
  close(): void;
}

const streams: Readonly<Record<string, NodeJS.WriteStream>> = { '-': process.stdout, '=': process.stderr };

/** @throws SrvError `config` naming the file that cannot be opened. */
export function openOutputs(names: readonly string[], format: string, rules: RotationRules): Output {
  const shape = format === 'text' ? textLine : (line: string) => line;
  const outputs = [...new Set(names)].map(name => new CountedOutput(openTarget(name, rules), { name, shape }));
  return {
    write: line => {
      const text = shape(line);
      for (const output of outputs) output.write(text);
    },
    close: () => {
      for (const output of outputs) output.close();
    },
  };
}

function openTarget(name: string, rules: RotationRules): LineTarget {
  const stream = streams[name];
  if (stream) return streamTarget(stream);
  try {
    const file = new RotatingFile(key.expandHome(name), rules);
    return {
      write(text, done) {
        try {
          file.write(text);
        } catch (error) {
          done(error);
          return;
        }
        done();
      },
      close: () => file.close(),
    };
  } catch (error) {
    throw new SrvError('config', `logging.output: ${name} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

/** The programs listen to the errors of standard output and standard error; here they count. */
function streamTarget(stream: NodeJS.WritableStream): LineTarget {
  return { write: (text, done) => void stream.write(text, done), close: () => {} };
}
