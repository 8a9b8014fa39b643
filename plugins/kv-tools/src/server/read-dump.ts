/** Reads dumps. Those written here are read line by line, however large; others are one JSON document. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { isHead, parseDump, parseLine, tail, wrong } from './dump-format.js';
import type { DumpEntry } from './dump-format.js';

/** The records of a dump; can be read repeatedly. */
export type DumpReader = () => AsyncIterable<DumpEntry> | Iterable<DumpEntry>;

/** @param file `-`: standard input. @throws SrvError `invalid` for what is wrong with the file, now or while it is read. */
export async function openDump(file: string): Promise<DumpReader> {
  if (file !== '-' && (await stat(file)).isDirectory()) throw wrong(file, 'it is a folder');
  if (file !== '-' && (await isOurs(file))) return () => lines(file);
  const entries = parseDump(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'), file);
  return () => entries;
}

async function isOurs(file: string): Promise<boolean> {
  // The first line of ours is short; another file may be a single long one.
  const start = createReadStream(file, { encoding: 'utf8', end: 255 });
  const beginning = await text(start);
  const end = beginning.indexOf('\n');
  return end >= 0 && isHead(beginning.slice(0, end));
}

async function* lines(file: string): AsyncGenerator<DumpEntry> {
  const input = createReadStream(file, { encoding: 'utf8' });
  let number = -1;
  let ended = false;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (number === 0 || line === '') continue;
      if (ended) throw wrong(file, `line ${number + 1} follows its end`);
      if (line === tail) ended = true;
      else yield parseLine(line, number, file);
    }
  } finally {
    input.destroy();
  }
  if (!ended) throw wrong(file, `it ends after ${number} records, in the middle: it was cut off`);
}
