/** Keeps values of environment variables out of messages. */
import type { HookEnvironment } from '@srv/lib-api/hook-types';

const shownInstead = '*******';
/** Characters of a value that is hidden: shorter ones would blot out ordinary text. */
const leastSecret = 4;

/** Arguments of a script with environment variables filled in, and what must not be shown. */
export interface FilledArgs {
  readonly args: unknown;
  readonly mask: (text: string) => string;
}

export function fillArgs(args: unknown, env: HookEnvironment): FilledArgs {
  const secrets = new Set<string>();
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const { text, secret } = env.fill(value);
      if (secret && text.length >= leastSecret) secrets.add(text);
      return text;
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
  };
  const filled = fill(args);
  // A longer one first: it may hold a shorter one.
  const longestFirst = [...secrets].toSorted((a, b) => b.length - a.length);
  return { args: filled, mask: text => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, shownInstead), text) };
}
