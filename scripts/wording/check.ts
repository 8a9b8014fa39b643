/** Finds words that prose here never uses, in every source, Markdown file and package description of the repository. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { exceptions } from './exceptions.js';
import { proseOf } from './prose.js';
import { openings, wordings } from './words.js';
import type { Exception } from './exceptions.js';

const skipped = new Set(['.git', 'dist', 'node_modules']);
const readByPeople = /(?:\.tsx?|\.md|(?:^|\/)package\.json)$/;
/** The list and its exceptions quote what they forbid. */
const ownFiles = /^scripts\/wording\/|^scripts\/test\/wording\.test\.ts$/;

const patterns = wordings.map(({ words, instead }) => ({
  pattern: new RegExp(`\\b(?:${words.replaceAll(' ', '\\s+')})\\b`, 'gi'),
  instead,
}));

const testNames = new RegExp(`(?<=\\b(?:describe|it|test)\\(\\s*['"\`])(?:${openings})\\b`, 'g');

/** @returns one `file:line: what is wrong` per phrase, and per exception that nothing needs. */
export function checkWording(root: string): string[] {
  const used = new Set<Exception>();
  const found = readableFiles(root)
    .filter(file => !ownFiles.test(file))
    .flatMap(file => judgeWording(file, readFileSync(join(root, file), 'utf8'), used));
  // A feature that is removed takes its files along.
  const unused = exceptions.filter(exception => !used.has(exception) && existsSync(join(root, exception.file)));
  return [...found, ...unused.map(({ file, text }) => `scripts/wording/exceptions.ts: ${file} has no "${text}"; remove the exception`)];
}

/** @param used gets the exceptions that applied. */
export function judgeWording(file: string, text: string, used: Set<Exception> = new Set()): string[] {
  const prose = proseOf(file, text);
  const own = exceptions.filter(exception => exception.file === file);
  const place = (index: number): string => `${file}:${text.slice(0, index).split('\n').length}`;
  const phrases = patterns.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].flatMap(({ index, 0: phrase }) => {
      const excuse = own.find(exception => isWithin(text, index, exception.text));
      if (excuse) {
        used.add(excuse);
        return [];
      }
      return [`${place(index)}: "${phrase.replace(/\s+/g, ' ')}" is not plain English here; write ${instead}`];
    }),
  );
  if (!file.endsWith('.test.ts')) return phrases;
  const names = [...text.matchAll(testNames)].map(
    ({ index, 0: word }) =>
      `${place(index)}: "${word}" begins a test name; name the subject: "rejects an invalid name", not "what is not a name is refused"`,
  );
  return [...phrases, ...names];
}

/** Whether the place is inside an occurrence of `part`. */
function isWithin(text: string, at: number, part: string): boolean {
  const from = text.indexOf(part, Math.max(0, at - part.length + 1));
  return from >= 0 && from <= at;
}

function readableFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : readableFiles(root, `${path}/`);
      return readByPeople.test(path) && !path.endsWith('.d.ts') ? [path] : [];
    });
}
