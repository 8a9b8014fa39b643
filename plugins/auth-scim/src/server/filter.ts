/** Filters of RFC 7644 (section 3.4.2.2): a parser without backtracking, and a judge of resources. */
import { caseExactPaths } from './discovery.js';
import { ScimError } from './scim-error.js';

type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
type Value = string | number | boolean | null;

export type Filter =
  | { readonly kind: 'compare'; readonly path: readonly string[]; readonly op: Comparison; readonly value: Value }
  | { readonly kind: 'present'; readonly path: readonly string[] }
  /** One item of a list satisfies all of it: `emails[type eq "work"]`, and what follows the bracket. */
  | { readonly kind: 'item'; readonly path: readonly string[]; readonly filter: Filter }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] };

const comparisons: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
/** Characters of a filter, and brackets within each other. */
const most = { length: 2000, depth: 10 };

type Token = { readonly kind: 'word' | 'mark'; readonly text: string } | { readonly kind: 'value'; readonly value: Value };

/** @throws ScimError 400 `invalidFilter`. */
export function parseFilter(text: string): Filter {
  if (text.length > most.length) throw invalid(`it has ${text.length} characters; at most ${most.length} are possible`);
  const parser = new Parser(tokensOf(text));
  const filter = parser.either(0);
  parser.end();
  return filter;
}

/** A path of a patch: `members`, `name.givenName`, `emails[type eq "work"].value`. @throws ScimError 400 `invalidPath`. */
export function parsePath(text: string): { readonly path: readonly string[]; readonly filter?: Filter; readonly sub?: string } {
  try {
    if (text.length > most.length) throw invalid('it is too long');
    const parser = new Parser(tokensOf(text));
    const found = parser.path();
    parser.end();
    return found;
  } catch (error) {
    throw new ScimError(
      400,
      `path ${JSON.stringify(text.slice(0, 200))} is not acceptable: ${error instanceof Error ? error.message : ''}`,
      'invalidPath',
    );
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw invalid('something follows its end');
  }

  either(depth: number): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#one(depth)));
  }

  path(): { readonly path: readonly string[]; readonly filter?: Filter; readonly sub?: string } {
    const path = this.#attribute();
    if (!this.#mark('[')) return { path };
    const filter = this.either(1);
    if (!this.#mark(']')) throw invalid('a ] is missing');
    const next = this.#tokens[this.#at];
    if (next?.kind !== 'word' || !next.text.startsWith('.')) return { path, filter };
    this.#at++;
    return { path, filter, sub: next.text.slice(1).toLowerCase() };
  }

  #joined(word: 'and' | 'or', part: () => Filter): Filter {
    const first = part();
    const filters = [first];
    while (this.#word(word)) filters.push(part());
    return filters.length === 1 ? first : { kind: word, filters };
  }

  #one(depth: number): Filter {
    if (depth > most.depth) throw invalid(`its brackets are nested more than ${most.depth} times`);
    if (this.#word('not')) {
      if (!this.#mark('(')) throw invalid('a ( is missing after not');
      return { kind: 'not', filter: this.#closed(depth) };
    }
    if (this.#mark('(')) return this.#closed(depth);
    const path = this.#attribute();
    if (this.#mark('[')) {
      const inner = this.either(depth + 1);
      if (!this.#mark(']')) throw invalid('a ] is missing');
      const next = this.#tokens[this.#at];
      if (next?.kind !== 'word' || !next.text.startsWith('.')) return { kind: 'item', path, filter: inner };
      this.#at++;
      return { kind: 'item', path, filter: { kind: 'and', filters: [inner, this.#test([next.text.slice(1).toLowerCase()])] } };
    }
    return this.#test(path);
  }

  #test(path: readonly string[]): Filter {
    const token = this.#tokens[this.#at++];
    const word = token?.kind === 'word' ? token.text.toLowerCase() : '';
    if (word === 'pr') return { kind: 'present', path };
    const op = comparisons.find(known => known === word) as Comparison | undefined;
    if (op === undefined) throw invalid(`${JSON.stringify(word)} is not one of ${comparisons.join(', ')}, pr`);
    const value = this.#tokens[this.#at++];
    if (value?.kind !== 'value') throw invalid(`a value is missing after ${op}`);
    return { kind: 'compare', path, op, value: value.value };
  }

  #closed(depth: number): Filter {
    const filter = this.either(depth + 1);
    if (!this.#mark(')')) throw invalid('a ) is missing');
    return filter;
  }

  #attribute(): readonly string[] {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== 'word') throw invalid('the name of an attribute is missing');
    return attributeOf(token.text);
  }

  #word(text: string): boolean {
    const token = this.#tokens[this.#at];
    const found = token?.kind === 'word' && token.text.toLowerCase() === text;
    if (found) this.#at++;
    return found;
  }

  #mark(text: string): boolean {
    const token = this.#tokens[this.#at];
    const found = token?.kind === 'mark' && token.text === text;
    if (found) this.#at++;
    return found;
  }
}

/** Parts in lower case, without the URN of a schema. */
export function attributeOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const core = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/.exec(lower)?.[0].length;
  // An extension is one name: the dots of its version are not paths.
  if (core === undefined && lower.startsWith('urn:')) return [lower];
  return lower.slice(core ?? 0).split('.');
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const word = /[A-Za-z.][\w.:$-]*/y;
  const number = /-?\d+(?:\.\d+)?/y;
  const quoted = /"(?:[^"\\]|\\.)*"/y;
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    const match = (pattern: RegExp): string | undefined => {
      pattern.lastIndex = at;
      return pattern.exec(text)?.[0];
    };
    if (char === ' ' || char === '\t') {
      at++;
      continue;
    }
    const found = '()[]'.includes(char) ? char : (match(quoted) ?? match(word) ?? match(number));
    if (found === undefined) throw invalid(`${JSON.stringify(text.slice(at, at + 20))} cannot be read`);
    tokens.push(tokenOf(found));
    at += found.length;
  }
  return tokens;
}

function tokenOf(text: string): Token {
  if ('()[]'.includes(text)) return { kind: 'mark', text };
  if (text.startsWith('"')) return { kind: 'value', value: textOf(text) };
  if (/^-?\d/.test(text)) return { kind: 'value', value: Number(text) };
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return { kind: 'value', value: lower === 'true' };
  if (lower === 'null') return { kind: 'value', value: null };
  return { kind: 'word', text };
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw invalid(`${quoted.slice(0, 40)} is not a text in quotes`);
  }
}

function invalid(problem: string): ScimError {
  return new ScimError(400, `the filter is not acceptable: ${problem}`, 'invalidFilter');
}

/**
 * Whether a resource satisfies a filter. The case of texts counts where the schemas say so.
 * @param within path of the resource, when it is an item of a list.
 */
export function satisfies(resource: unknown, filter: Filter, within: readonly string[] = []): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every(part => satisfies(resource, part, within));
    case 'or':
      return filter.filters.some(part => satisfies(resource, part, within));
    case 'not':
      return !satisfies(resource, filter.filter, within);
    case 'item':
      return valuesAt(resource, filter.path).some(item => satisfies(item, filter.filter, [...within, ...filter.path]));
    case 'present':
      return valuesAt(resource, filter.path).some(value => value !== undefined && value !== null && value !== '');
    default: {
      const values = valuesAt(resource, filter.path);
      const exact = isCaseExact([...within, ...filter.path]);
      if (filter.op === 'ne') return !values.some(value => compares(value, 'eq', filter.value, exact));
      return values.some(value => compares(value, filter.op, filter.value, exact));
    }
  }
}

/** A list stands for the values of its items. */
function isCaseExact(path: readonly string[]): boolean {
  const name = path.join('.');
  return caseExactPaths.has(name) || caseExactPaths.has(`${name}.value`);
}

/** Whether two texts are one where case does not count. */
export function equalsInAnyCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Values of an attribute; of a list, those of its items, and of an item that is an object its `value`. */
function valuesAt(resource: unknown, path: readonly string[]): readonly unknown[] {
  let found: readonly unknown[] = [resource];
  for (const part of path) found = found.flatMap(value => membersOf(value, part));
  return found.flatMap(value => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
}

function membersOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(item => membersOf(item, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key.toLowerCase() === name ? [member as unknown] : []));
}

function compares(found: unknown, op: Comparison, wanted: Value, exact: boolean): boolean {
  const value = typeof found === 'object' && found !== null && 'value' in found ? found.value : found;
  if (typeof value === 'string' && typeof wanted === 'string')
    return exact ? comparesTexts(value, op, wanted) : comparesTexts(value.toLowerCase(), op, wanted.toLowerCase());
  if (op === 'eq') return value === wanted || (typeof value === 'boolean' && String(value) === String(wanted).toLowerCase());
  if (typeof value !== 'number' || typeof wanted !== 'number') return false;
  return op === 'gt' ? value > wanted : op === 'ge' ? value >= wanted : op === 'lt' ? value < wanted : op === 'le' && value <= wanted;
}

function comparesTexts(value: string, op: Comparison, wanted: string): boolean {
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'co':
      return value.includes(wanted);
    case 'sw':
      return value.startsWith(wanted);
    case 'ew':
      return value.endsWith(wanted);
    case 'gt':
      return value > wanted;
    case 'ge':
      return value >= wanted;
    case 'lt':
      return value < wanted;
    case 'le':
      return value <= wanted;
    default:
      return false;
  }
}
