/**
 * Positions of sources instead of those of compiled files. With `--enable-source-maps` node reads the map of every module that a
 * test file loads, a twelfth of what starting a server takes: here only those of failures are read.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import type { SourceMapPayload } from 'node:module';

const position = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/** @param text with stacks, whose positions in compiled files become those of their sources. */
export function withSourcePositions(text: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return text.replace(position, (whole, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return whole;
    return `${join(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** @returns `undefined`: the file has none. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
