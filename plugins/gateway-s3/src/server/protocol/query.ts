/** The query of a request: names and values in the order sent, decoded. */
import { percentDecode } from './percent.js';

type Pair = readonly [name: string, value: string];

export class Query {
  /** The text after the `?`, still encoded. */
  readonly raw: string;
  #pairs: readonly Pair[] | undefined;

  /** @param raw as sent. `+` means a space; a malformed escape is literal. */
  constructor(raw: string) {
    this.raw = raw;
  }

  /** Taken apart when they are first asked for: of most requests to other faces they never are. */
  get pairs(): readonly Pair[] {
    this.#pairs ??= this.raw === '' ? [] : this.raw.split('&').filter(Boolean).map(pairOf);
    return this.#pairs;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** First value of the name. */
  get(name: string): string | undefined {
    for (const pair of this.pairs) if (pair[0] === name) return pair[1];
    return undefined;
  }

  /** First value, unless it is empty. */
  text(name: string): string | undefined {
    return this.get(name) || undefined;
  }
}

function pairOf(text: string): Pair {
  const equals = text.indexOf('=');
  return equals < 0 ? [decode(text), ''] : [decode(text.slice(0, equals)), decode(text.slice(equals + 1))];
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return percentDecode(spaced) ?? spaced;
}
