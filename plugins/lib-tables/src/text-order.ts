/** The order of values that are texts: numbers by their size, exactly, before anything else. */
import type { Order } from './table-file.js';

const number = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
const whole = /^[+-]?[0-9]+$/;
/** Digits that any number of the browser holds. */
const safeDigits = 15;

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
