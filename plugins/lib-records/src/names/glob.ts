/**
 * Patterns with wildcards, the only way in which text of users is matched. A pattern is a small machine that reads the
 * text once and keeps all of its possible positions, so that time is at most the length of the pattern times the length of
 * the text. Regular expressions made of such patterns take exponential time. Runs in browsers, too.
 */

/** What is special in a pattern; `*` and `?` always are. */
export interface GlobSyntax {
  /** Character at which `*` and `?` stop. */
  readonly separator?: string;
  /** `**` does not stop at the separator, and with the separator after it also matches nothing. */
  readonly globstar?: boolean;
  /**
   * `[abc]`, `[a-z]` and `[^a]`, and `\` takes the meaning of the next character away. `'!^'`: `[!a]` is `[^a]`, and `-` and
   * `]` may be members where they cannot be anything else.
   */
  readonly classes?: '^' | '!^';
  /** `{a,b}` is either; alternatives are patterns. Needs `classes`. */
  readonly braces?: boolean;
}

/** Of resources in policies: `*` is any run of characters, `?` is exactly one. */
export const wildcardSyntax: GlobSyntax = {};
/** Of branch names in rules (versioning rules, section 10): `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, and `\` escapes. */
export const branchSyntax: GlobSyntax = { classes: '!^', braces: true };

/** Code points: longer patterns are refused, because time grows with their length. */
const maxLength = 4096;

/** A pattern that does not parse. The message says why. */
export class GlobError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GlobError';
  }
}

type Test = (code: number) => boolean;

type Instruction =
  /** Reads one character. */
  | { readonly op: 'one'; readonly accepts: Test }
  /** Reads any number of characters. */
  | { readonly op: 'run'; readonly accepts: Test }
  /** Reads nothing and continues at each of the places. */
  | { readonly op: 'jump'; to: number[] }
  | { readonly op: 'end' };

/** Part of a pattern; the characters of `literal` match themselves. */
export type GlobPart = string | { readonly literal: string };

export interface GlobMatch {
  readonly matches: boolean;
  readonly continues: boolean;
  /** Instructions that were visited: the cost. */
  readonly steps: number;
}

/** A pattern, ready to be matched. */
export class Glob {
  readonly #program: readonly Instruction[];
  /** By instruction: the last character at which it was reached. */
  readonly #reached: Float64Array;
  #clock = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#reached = new Float64Array(program.length);
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean {
    return this.match(text).matches;
  }

  /** Whether any text that begins with `prefix` matches. */
  continues(prefix: string): boolean {
    return this.match(prefix).continues;
  }

  match(text: string): GlobMatch {
    let steps = 0;
    let next: number[] = [];
    /** Adds an instruction and those that follow it without a character. */
    const reach = (first: number): void => {
      const open = [first];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (this.#reached[at] === this.#clock) continue;
        this.#reached[at] = this.#clock;
        steps++;
        next.push(at);
        const instruction = this.#program[at];
        if (instruction?.op === 'jump') open.push(...instruction.to);
        else if (instruction?.op === 'run') open.push(at + 1);
      }
    };
    this.#clock++;
    reach(0);
    for (const character of text) {
      const code = codeOf(character);
      const current = next;
      next = [];
      this.#clock++;
      for (const at of current) {
        const instruction = this.#program[at];
        if (instruction?.op === 'one' && instruction.accepts(code)) reach(at + 1);
        else if (instruction?.op === 'run' && instruction.accepts(code)) reach(at);
      }
      if (next.length === 0) return { matches: false, continues: false, steps };
    }
    return { matches: next.includes(this.#program.length - 1), continues: true, steps };
  }
}

/** @throws GlobError. */
export function parseGlob(pattern: string | readonly GlobPart[], syntax: GlobSyntax): Glob {
  const parts = typeof pattern === 'string' ? [pattern] : pattern;
  const program: Instruction[] = [];
  let length = 0;
  for (const part of parts) {
    const isLiteral = typeof part !== 'string';
    const characters = Array.from(isLiteral ? part.literal : part);
    length += characters.length;
    if (length > maxLength) throw new GlobError(`it is longer than ${maxLength} characters`);
    if (isLiteral) program.push(...characters.map(literal));
    else new Parser(characters, syntax, program).parse();
  }
  program.push({ op: 'end' });
  return new Glob(program);
}

/** Whether the whole text matches; a pattern that does not parse matches nothing. */
export function isMatch(pattern: string, text: string, syntax: GlobSyntax): boolean {
  try {
    return parseGlob(pattern, syntax).matches(text);
  } catch (error) {
    if (error instanceof GlobError) return false;
    throw error;
  }
}

const any: Test = () => true;

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function literal(character: string): Instruction {
  const wanted = codeOf(character);
  return { op: 'one', accepts: code => code === wanted };
}

class Parser {
  readonly #characters: readonly string[];
  readonly #syntax: GlobSyntax;
  readonly #program: Instruction[];
  readonly #inside: Test;
  #at = 0;

  constructor(characters: readonly string[], syntax: GlobSyntax, program: Instruction[]) {
    this.#characters = characters;
    this.#syntax = syntax;
    this.#program = program;
    const separator = syntax.separator === undefined ? undefined : codeOf(syntax.separator);
    this.#inside = separator === undefined ? any : code => code !== separator;
  }

  parse(): void {
    this.#sequence(false);
  }

  /** Reads up to the end of the pattern, or of one alternative. */
  #sequence(inBraces: boolean): void {
    for (let character = this.#peek(); character !== undefined; character = this.#peek()) {
      if (inBraces && (character === ',' || character === '}')) return;
      this.#at++;
      if (character === '*') this.#star();
      else if (character === '?') this.#program.push({ op: 'one', accepts: this.#inside });
      else if (character === '[' && this.#syntax.classes) this.#class();
      else if (character === '{' && this.#syntax.braces) this.#alternatives();
      else this.#program.push(literal(character === '\\' && this.#syntax.classes ? this.#take('nothing follows the last \\') : character));
    }
  }

  #star(): void {
    let count = 1;
    for (; this.#peek() === '*'; count++) this.#at++;
    const { separator, globstar } = this.#syntax;
    if (count === 1 || !globstar) this.#program.push({ op: 'run', accepts: this.#inside });
    else if (separator !== undefined && this.#peek() === separator) {
      this.#at++;
      const start = this.#program.length;
      this.#program.push({ op: 'jump', to: [start + 1, start + 3] }, { op: 'run', accepts: any }, literal(separator));
    } else this.#program.push({ op: 'run', accepts: any });
  }

  #alternatives(): void {
    const fork: number[] = [];
    const ends: { readonly op: 'jump'; to: number[] }[] = [];
    this.#program.push({ op: 'jump', to: fork });
    for (let follows: string | undefined = ','; follows === ','; ) {
      fork.push(this.#program.length);
      this.#sequence(true);
      follows = this.#take('{ is not closed by }');
      const end: (typeof ends)[number] = { op: 'jump', to: [] };
      ends.push(end);
      this.#program.push(end);
    }
    for (const end of ends) end.to = [this.#program.length];
  }

  #class(): void {
    const problem = '[ is not closed by ]';
    const negated = this.#peek() === '^' || (this.#peek() === '!' && this.#syntax.classes === '!^');
    if (negated) this.#at++;
    const ranges: (readonly [low: number, high: number])[] = [];
    for (let character = this.#take(problem); character !== ']' || ranges.length === 0; character = this.#take(problem)) {
      const low = this.#member(character);
      const isRange = this.#peek() === '-' && this.#characters[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      ranges.push([low, isRange ? this.#member(this.#take(problem)) : low]);
    }
    this.#program.push({ op: 'one', accepts: code => ranges.some(([low, high]) => low <= code && code <= high) !== negated });
  }

  #member(character: string): number {
    if (this.#syntax.classes === '^' && (character === '-' || character === ']')) throw new GlobError(`${character} needs a \\ before it`);
    return codeOf(character === '\\' ? this.#take('nothing follows the last \\') : character);
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(problem: string): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new GlobError(problem);
    return character;
  }
}
