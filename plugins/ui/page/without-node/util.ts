/** What modules of commands need of `node:util`. */

/** Escape sequences of terminals are not made here. */
export const stripVTControlCharacters = (text: string): string => text;
export const inspect = (value: unknown): string => JSON.stringify(value, null, 2);
export const types = { isNativeError: (value: unknown): boolean => value instanceof Error };
