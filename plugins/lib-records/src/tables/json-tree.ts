/**
 * JSON as it is written: numbers keep their digits, and members their order and repetitions, which `JSON.parse` loses. The
 * grammar is that of RFC 8259; nesting is bounded by memory only.
 */

export type JsonNode =
  /** A text, number or word, as written. */
  | { readonly kind: 'text' | 'number' | 'word'; readonly source: string }
  | { readonly kind: 'array'; readonly members: readonly JsonMember[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] };

interface JsonMember {
  /** Of an object, as written without quotes and escapes; of an array, the place. */
  readonly name: string;
  readonly value: JsonNode;
}

interface OpenNode {
  readonly kind: 'array' | 'object';
  readonly members: JsonMember[];
  /** Of the member that is being read. */
  name: string;
}

const space = /[ \t\n\r]*/y;
/** All characters from the space on stand for themselves, but quotes and backslashes. */
const stringToken = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;

/** @throws Error that says what was expected where. */
export function parseJsonTree(text: string): JsonNode {
  return new Reader(text).document();
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  document(): JsonNode {
    const open: OpenNode[] = [];
    for (;;) {
      const begun = this.#value();
      if ('name' in begun) {
        open.push(begun);
        if (!this.#isClosedAtOnce(begun)) continue;
      }
      let done: JsonNode = 'name' in begun ? close(open) : begun;
      for (let parent = open.at(-1); parent; parent = open.at(-1)) {
        parent.members.push({ name: parent.name, value: done });
        this.#skip();
        if (this.#take(',')) {
          this.#member(parent);
          break;
        }
        this.#expect(parent.kind === 'array' ? ']' : '}', `"," or "${parent.kind === 'array' ? ']' : '}'}"`);
        done = close(open);
      }
      if (open.length > 0) continue;
      this.#skip();
      if (this.#at < this.#text.length) throw this.#wrong('the end of the text');
      return done;
    }
  }

  #value(): JsonNode | OpenNode {
    this.#skip();
    if (this.#take('[')) return { kind: 'array', members: [], name: '' };
    if (this.#take('{')) return { kind: 'object', members: [], name: '' };
    const text = this.#token(stringToken);
    if (text !== undefined) return { kind: 'text', source: text };
    const number = this.#token(numberToken);
    if (number !== undefined) return { kind: 'number', source: number };
    const word = this.#token(wordToken);
    if (word !== undefined) return { kind: 'word', source: word };
    throw this.#wrong('a value');
  }

  /** Reads up to the value of the first member, if there is one. */
  #isClosedAtOnce(node: OpenNode): boolean {
    this.#skip();
    if (this.#take(node.kind === 'array' ? ']' : '}')) return true;
    this.#member(node);
    return false;
  }

  #member(node: OpenNode): void {
    if (node.kind === 'array') {
      node.name = String(node.members.length);
      return;
    }
    this.#skip();
    const name = this.#token(stringToken);
    if (name === undefined) throw this.#wrong('a name in quotes');
    node.name = JSON.parse(name) as string;
    this.#skip();
    this.#expect(':', '":"');
  }

  #skip(): void {
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string, what: string): void {
    if (!this.#take(character)) throw this.#wrong(what);
  }

  #wrong(expected: string): Error {
    const before = this.#text.slice(0, this.#at).split('\n');
    const found = this.#at < this.#text.length ? JSON.stringify(this.#text.slice(this.#at, this.#at + 10)) : 'the end';
    return new Error(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: expected ${expected}, found ${found}`);
  }
}

/** Ends the innermost open node. */
function close(open: OpenNode[]): JsonNode {
  const { kind = 'array', members = [] } = open.pop() ?? {};
  return { kind, members };
}

/** Names that occur more than once in an object: programs read one of their values, and not all the same one. */
export function repeatedNames(members: readonly JsonMember[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(members.map(({ name }) => name).filter(name => seen.size === seen.add(name).size));
}
