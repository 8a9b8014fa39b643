/** JSON of callers: a text may have any name, but nothing becomes the prototype of an object that is made of it. */

/** Only a text with one of these can hold the name, which escapes may write. */
const suspicious = /proto|\\u/;

/** @throws SyntaxError for what is not JSON; Error for an object or list of the name `__proto__`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (suspicious.test(text)) refusePrototypes(value);
  return value;
}

/** @param value made of JSON. @throws Error for an object or list of the name `__proto__`, at any depth. */
export function refusePrototypes(value: unknown): void {
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const prototype: unknown = Object.getOwnPropertyDescriptor(next, '__proto__')?.value;
    if (typeof prototype === 'object' && prototype !== null) throw new Error('an object must not be named __proto__');
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) waiting.push(member);
  }
}
