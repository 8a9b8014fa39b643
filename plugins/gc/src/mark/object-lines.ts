/** Lists of objects as text files, a line each, in byte order of the keys. */
import { createReadStream } from 'node:fs';
import { SrvError } from '@srv/kernel';

export interface ListedObject {
  /** Relative to the namespace. */
  readonly key: string;
  readonly size: number;
  /** Milliseconds since 1970; 0 while only the name is known. */
  readonly modified: number;
}

const readBytes = 256 << 10;

export function lineOf({ key, size, modified }: ListedObject): string {
  return `${key}\t${size}\t${modified}\n`;
}

/** @throws SrvError `corrupt`. */
export function objectIn(line: string): ListedObject {
  const first = line.indexOf('\t');
  const second = line.indexOf('\t', first + 1);
  const [size, modified] = [Number(line.slice(first + 1, second)), Number(line.slice(second + 1))];
  if (first < 1 || second < 0 || !Number.isInteger(size) || !Number.isInteger(modified) || second + 1 === line.length)
    throw new SrvError('corrupt', `a line of a list of objects does not decode: ${JSON.stringify(line)}`);
  return { key: line.slice(0, first), size, modified };
}

/** Objects of a file of {@link lineOf}, in order, some at a time. */
export async function* objectPages(path: string): AsyncGenerator<readonly ListedObject[]> {
  const input = createReadStream(path, { encoding: 'utf8', highWaterMark: readBytes });
  let rest = '';
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield lines.map(objectIn);
    }
  } finally {
    input.destroy();
  }
  if (rest !== '') yield [objectIn(rest)];
}
