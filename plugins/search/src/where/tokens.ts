/** Takes an expression of the filter language apart. It reads each character once. */
import { SrvError } from '@srv/kernel';

export type Token =
  | { readonly kind: 'word' | 'text' | 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number };

/** Characters of an expression at most. */
const maxLength = 10_000;
const signs = ['===', '!==', '==', '!=', '<>', '<=', '>=', '&&', '||', '=', '<', '>', '(', ')', ',', '!', '~', '.', '[', ']'];

/** What a number may end with, in bytes. */
const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
};

/** @throws SrvError `invalid` that names the place. */
export function tokensOf(expression: string): readonly Token[] {
  if (expression.length > maxLength) throw new SrvError('invalid', `where: the expression is longer than ${maxLength} characters`);
  const tokens: Token[] = [];
  let at = 0;
  const run = (accepts: (character: string) => boolean): string => {
    const start = at;
    while (at < expression.length && accepts(expression[at] ?? '')) at++;
    return expression.slice(start, at);
  };
  while (at < expression.length) {
    const start = at;
    const character = expression[at] ?? '';
    if (isSpace(character)) at++;
    else if (isWordStart(character)) tokens.push({ kind: 'word', text: run(isWordPart), at: start });
    else if (isDigit(character) || (character === '-' && isDigit(expression[at + 1] ?? ''))) {
      if (character === '-') at++;
      const digits = expression.slice(start, at) + run(c => isDigit(c) || c === '.' || c === '_');
      const unit = run(isWordPart);
      tokens.push({ kind: 'number', text: digits + unit, value: numberOf(digits, unit, start), at: start });
    } else if (character === '"' || character === "'" || character === '`') {
      at++;
      tokens.push({ kind: 'text', text: quoted(character), at: start });
    } else {
      const sign = signs.find(candidate => expression.startsWith(candidate, start));
      if (!sign) throw problemAt(start, `${JSON.stringify(character)} means nothing here`);
      at += sign.length;
      tokens.push({ kind: 'sign', text: sign, at: start });
    }
  }
  tokens.push({ kind: 'end', text: '', at });
  return tokens;

  function quoted(quote: string): string {
    const start = at;
    let text = '';
    for (; at < expression.length; at++) {
      const character = expression[at] ?? '';
      if (character === quote) {
        at++;
        return text;
      }
      text += character === '\\' ? (expression[++at] ?? '') : character;
    }
    throw problemAt(start - 1, `the text that begins with ${quote} does not end`);
  }
}

export function problemAt(at: number, problem: string): SrvError {
  return new SrvError('invalid', `where: character ${at + 1}: ${problem}`);
}

function numberOf(digits: string, unit: string, at: number): number {
  const factor = unit === '' ? 1 : units[unit.toLowerCase()];
  const value = Number(digits.replaceAll('_', ''));
  if (factor === undefined) throw problemAt(at, `${digits}${unit} is not a number; units are ${Object.keys(units).join(', ')}`);
  if (!Number.isFinite(value)) throw problemAt(at, `${digits} is not a number`);
  return value * factor;
}

const isSpace = (character: string): boolean => character === ' ' || character === '\t' || character === '\n' || character === '\r';
const isDigit = (character: string): boolean => character >= '0' && character <= '9';
const isWordStart = (character: string): boolean =>
  (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_' || character === '$';
const isWordPart = (character: string): boolean => isWordStart(character) || isDigit(character) || character === '-';
