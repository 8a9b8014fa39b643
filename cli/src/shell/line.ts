/** One line of the shell: a command or a program, and what its output goes through. */
import { splitStages, splitWords } from '@srv/engine/shell';
import { UsageError } from '@srv/lib-commands';

/** @returns `undefined` for a variable that is not set. */
export type Variables = (name: string) => string | undefined;

export interface Line {
  /** The first stage as it is written. */
  readonly text: string;
  /** Its words; of a program none. */
  readonly words: readonly string[];
  /** The first stage is a line for `sh`: it began with an exclamation mark. */
  readonly isProgram: boolean;
  /** Texts after the bars. */
  readonly stages: readonly string[];
  readonly variables: Variables;
}

/** Whether a line begins with what calls a program: `!ls`. `!ready` in an expression is written `!(ready)`. */
export function callsProgram(line: string): boolean {
  return /^\s*![A-Za-z~./"'$]/.test(line);
}

/** @throws OpenLineError for an open quote, UsageError for a variable that is not set. */
export function readLine(line: string, variables: Variables): Line {
  const [first = '', ...stages] = splitStages(line.trim());
  const isProgram = callsProgram(first);
  return { text: isProgram ? first.slice(1) : first, words: isProgram ? [] : splitWords(first, variables), isProgram, stages, variables };
}

/** Words of a command. */
export function lineOfWords(words: readonly unknown[]): Line {
  const texts = words.map((word, index) => wordOf(word, `word ${index + 1}`));
  return { text: texts.join(' '), words: texts, isProgram: false, stages: [], variables: () => undefined };
}

/**
 * A line with values in it, as in `` run`branch create ${name}` ``: each is one word or a part of one, whatever is in
 * it; a list that is a word of its own is as many words.
 */
export function lineWithValues(texts: readonly string[], values: readonly unknown[], variables: Variables): Line {
  const mark = unusedMark(texts);
  const marked = texts.map((text, index) => (index < values.length ? `${text}${mark}${index}${mark}` : text)).join('');
  const line = readLine(marked, variables);
  const filled = (word: string): string[] => {
    const pieces = word.split(mark);
    const value = values[Number(pieces[1])];
    if (pieces.length === 3 && pieces[0] === '' && pieces[2] === '' && Array.isArray(value))
      return value.map((item, index) => wordOf(item, `item ${index + 1} of value ${Number(pieces[1]) + 1}`));
    return [join(pieces, number => wordOf(values[number], `value ${number + 1}`))];
  };
  const inStage = (stage: string): string => join(stage.split(mark), number => quotedFor(stage, values[number], number + 1));
  return {
    ...line,
    text: line.isProgram ? inStage(line.text) : line.text,
    words: line.words.flatMap(filled),
    stages: line.stages.map(inStage),
  };
}

/** Every second piece is the number of a value. */
function join(pieces: readonly string[], valueAt: (number: number) => string): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : valueAt(Number(piece)))).join('');
}

/** A filter is JavaScript, everything else is for `sh`. @throws UsageError for what quotes cannot protect. */
function quotedFor(stage: string, value: unknown, number: number): string {
  const isFilter = /^where\s/.test(stage);
  if (isFilter) return JSON.stringify(value) ?? 'undefined';
  if (/["']/.test(stage))
    throw new UsageError(`value ${number} stands in a program with quotes of its own: leave them out, values are quoted`);
  return (Array.isArray(value) ? value : [value]).map(item => `'${wordOf(item, `value ${number}`).replaceAll("'", "'\\''")}'`).join(' ');
}

function wordOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new UsageError(`${what} of the line is ${value === null ? 'null' : typeof value}: give a text or a number`);
}

/** A character that none of the texts has. */
function unusedMark(texts: readonly string[]): string {
  for (let code = 0xe000; ; code++) {
    const mark = String.fromCharCode(code);
    if (!texts.some(text => text.includes(mark))) return mark;
  }
}
