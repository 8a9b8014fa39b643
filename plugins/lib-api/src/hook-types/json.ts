/** JSON as existing receivers of events get it: `<`, `>`, `&` and line separators are escaped. */
export function receiverJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
