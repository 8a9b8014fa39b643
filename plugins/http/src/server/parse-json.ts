/** JSON of callers: a text may have any name, but nothing becomes the prototype of an object that is made of it, and texts are whole. */

/** Only a text with one of these can hold the name, which escapes may write, or half of a character. */
const suspicious = /proto|\\u/;
const halfOfACharacter = /\p{Surrogate}/u;

/** @throws SyntaxError for what is not JSON; Error as {@link checkJson}. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (suspicious.test(text)) checkJson(value);
  return value;
}

/**
 * @param value made of JSON.
 * @throws Error for an object or list of the name `__proto__`, at any depth, and for half of a character, which would be stored as
 * another one.
 */
export function checkJson(value: unknown): void {
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') demandWhole(next);
    if (typeof next !== 'object' || next === null) continue;
    const prototype: unknown = Object.getOwnPropertyDescriptor(next, '__proto__')?.value;
    if (typeof prototype === 'object' && prototype !== null) throw new Error('an object must not be named __proto__');
    for (const [name, member] of Object.entries(next)) {
      demandWhole(name);
      if (typeof member === 'string' || (typeof member === 'object' && member !== null)) waiting.push(member);
    }
  }
}

function demandWhole(text: string): void {
  if (halfOfACharacter.test(text)) throw new Error('a text holds half of a character');
}
