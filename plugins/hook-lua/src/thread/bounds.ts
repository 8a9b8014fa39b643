/** Keeps modules within their limits. */
import { maxCallBytes, maxText, maxValues } from './limits.js';
import { LuaError } from './lua-value.js';

/** Counts what one call passes. */
export class Budget {
  #bytes = 0;
  #values = 0;

  /** @throws LuaError when it is too much. */
  take(bytes: number): void {
    this.#bytes += bytes;
    this.#values++;
    if (this.#bytes > maxCallBytes) throw new LuaError(`one call can pass ${maxCallBytes} bytes; pass less at a time`);
    if (this.#values > maxValues) throw new LuaError(`one call can pass ${maxValues} values; pass fewer at a time`);
  }
}

/** @param length of a text, or of a result. @throws LuaError when it is too long. */
export function checkText(length: number, most = maxText): void {
  if (length > most) throw new LuaError(`a text of ${length} bytes is too long here: ${most} bytes are allowed`);
}

/** How often a part occurs. @throws LuaError when that is more than a table may have values. */
export function countParts(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) if (++count >= maxValues) tooMany();
  return count;
}

export function tooMany(): never {
  throw new LuaError(`more than ${maxValues} values; take the text apart piece by piece`);
}
