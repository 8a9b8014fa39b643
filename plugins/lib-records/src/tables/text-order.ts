/** The order of values that are texts: numbers by their size, exactly, before anything else. */
import type { Order } from './table-file.js';

const number = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
const whole = /^[+-]?[0-9]+$/;
/** Digits that any number of the browser holds. Longer integers are ordered, and distinguished, by all of theirs. */
export const safeDigits = 15;

export function textOrder(text: string | null): Order {
  if (text === null || text === '') return null;
  // Longer texts are not numbers that people write.
  if (text.length > 400 || !number.test(text)) return text;
  if (text.length > safeDigits && whole.test(text)) return BigInt(text.startsWith('+') ? text.slice(1) : text);
  return Number(text);
}

export function isNumberText(text: string): boolean {
  return text.length <= 400 && number.test(text);
}

/** The order of a number that people type; `undefined` for other texts. @param scale digits after the point of a decimal. */
export function numberOrder(text: string, scale?: number): Order | undefined {
  if (scale === undefined) {
    const order = textOrder(text);
    return typeof order === 'string' || order === null ? undefined : order;
  }
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)([0-9]{1,100})(?:\.([0-9]{0,100}))?$/.exec(text) ?? [];
  if (whole === '' || scale < 0 || fraction.length > scale) return undefined;
  const unscaled = BigInt(whole + fraction.padEnd(scale, '0'));
  return sign === '-' ? -unscaled : unscaled;
}
