/** The query of a request: names and values in the order sent, decoded. */
import { percentDecode } from './percent.js';

export class Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];

  /** @param raw the text after the `?`, still encoded. `+` means a space; a malformed escape is literal. */
  constructor(raw: string) {
    this.pairs = raw
      .split('&')
      .filter(pair => pair !== '')
      .map(pair => {
        const equals = pair.indexOf('=');
        return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
      });
  }

  has(name: string): boolean {
    return this.pairs.some(([n]) => n === name);
  }

  /** First value of the name. */
  get(name: string): string | undefined {
    return this.pairs.find(([n]) => n === name)?.[1];
  }

  /** First value, unless it is empty. */
  text(name: string): string | undefined {
    return this.get(name) || undefined;
  }
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return percentDecode(spaced) ?? spaced;
}
