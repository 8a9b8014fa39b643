/**
 * The filter language: comparisons of fields with values, joined by `and`, `or` and `not`, in the spelling of SQL or of
 * JavaScript. Depth is bounded, so that no expression exhausts the stack.
 */
import { nearest } from '@srv/kernel';
import { fieldNames, metadataNames } from './fields.js';
import { problemAt, tokensOf } from './tokens.js';
import type { Field } from './fields.js';
import type { Token } from './tokens.js';

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'like';

export type Value = { readonly text: string } | { readonly number: number; readonly text: string };

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly part: Expression }
  | { readonly kind: 'compare'; readonly field: Field; readonly operator: Operator; readonly value: Value; readonly at: number }
  | { readonly kind: 'exists'; readonly field: Field };

const maxDepth = 100;
const operators: Readonly<Record<string, Operator>> = {
  '=': '=',
  '==': '=',
  '===': '=',
  '!=': '!=',
  '!==': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '~': 'like',
  like: 'like',
  glob: 'like',
};

/** @throws SrvError `invalid` that names the place and the remedy. */
export function parseWhere(expression: string): Expression {
  return new Parser(tokensOf(expression)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const found = this.#or();
    const { kind, text, at } = this.#peek();
    if (kind !== 'end') throw problemAt(at, `${text} does not continue the expression; join conditions by and, or`);
    return found;
  }

  #or(): Expression {
    const parts = [this.#and()];
    while (this.#takes('or', '||')) parts.push(this.#and());
    const [first] = parts;
    return first && parts.length === 1 ? first : { kind: 'or', parts };
  }

  #and(): Expression {
    const parts = [this.#not()];
    while (this.#takes('and', '&&')) parts.push(this.#not());
    const [first] = parts;
    return first && parts.length === 1 ? first : { kind: 'and', parts };
  }

  #not(): Expression {
    if (++this.#depth > maxDepth) throw problemAt(this.#peek().at, `conditions are nested more than ${maxDepth} times`);
    try {
      if (this.#takes('not', '!')) return { kind: 'not', part: this.#not() };
      if (!this.#takes('(')) return this.#condition();
      const inside = this.#or();
      this.#expect(')');
      return inside;
    } finally {
      this.#depth--;
    }
  }

  #condition(): Expression {
    const { at } = this.#peek();
    const field = this.#field();
    const isNegated = this.#takes('not');
    const negated = (part: Expression): Expression => (isNegated ? { kind: 'not', part } : part);
    if (this.#takes('in')) {
      this.#expect('(');
      const parts: Expression[] = [];
      do parts.push({ kind: 'compare', field, operator: '=', value: this.#value(), at });
      while (this.#takes(','));
      this.#expect(')');
      return negated({ kind: 'or', parts });
    }
    const token = this.#peek();
    const word = token.kind === 'sign' || token.kind === 'word' ? token.text.toLowerCase() : '';
    const operator = Object.hasOwn(operators, word) ? operators[word] : undefined;
    if (operator && (!isNegated || operator === 'like')) {
      this.#at++;
      return negated({ kind: 'compare', field, operator, value: this.#value(), at: token.at });
    }
    if (field.name === 'metadata' && !isNegated) return { kind: 'exists', field };
    throw problemAt(token.at, `an operator is expected after ${field.name}: = != < <= > >= like in`);
  }

  #field(): Field {
    const token = this.#take();
    if (token.kind !== 'word')
      throw problemAt(token.at, `a field is expected, not ${token.text === '' ? 'the end' : token.text}; ${this.#names}`);
    const word = token.text.toLowerCase();
    if (metadataNames.includes(word)) return { name: 'metadata', key: this.#key(token) };
    const name = Object.hasOwn(fieldNames, word) ? fieldNames[word] : undefined;
    if (name) return { name };
    const near = nearest(word.slice(0, 40), [...Object.keys(fieldNames), ...metadataNames]);
    throw problemAt(token.at, `no field is called ${token.text}${near ? `; did you mean ${near}?` : ''}; ${this.#names}`);
  }

  get #names(): string {
    return `fields are ${Object.keys(fieldNames).join(', ')} and metadata.KEY`;
  }

  /** `.key` or `["key"]`. */
  #key(before: Token): string {
    if (this.#takes('.')) {
      const { kind, text, at } = this.#take();
      if (kind === 'word' || kind === 'text' || kind === 'number') return text;
      throw problemAt(at, 'a key is expected after the dot: metadata.label or metadata["the label"]');
    }
    if (!this.#takes('[')) throw problemAt(before.at, 'metadata needs a key: metadata.label or metadata["the label"]');
    const { kind, text, at } = this.#take();
    if (kind !== 'text') throw problemAt(at, 'a key in quotes is expected: metadata["the label"]');
    this.#expect(']');
    return text;
  }

  #value(): Value {
    const token = this.#take();
    if (token.kind === 'number') return { number: token.value, text: token.text };
    if (token.kind === 'text') return { text: token.text };
    throw problemAt(
      token.at,
      `a value is expected, not ${token.text === '' ? 'the end' : token.text}: a number, a size such as 10MB, or a text in quotes`,
    );
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', at: 0 };
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** Passes a word or sign if it is one of these. */
  #takes(...candidates: readonly string[]): boolean {
    const { kind, text } = this.#peek();
    if ((kind !== 'word' && kind !== 'sign') || !candidates.includes(text.toLowerCase())) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    const { at, text } = this.#peek();
    if (!this.#takes(sign)) throw problemAt(at, `${sign} is expected, not ${text === '' ? 'the end' : text}`);
  }
}
