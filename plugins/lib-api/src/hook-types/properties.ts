/** Pieces of property schemas that hook types share. */
import { parseDuration, withoutPassword } from '@srv/kernel';

/** Properties as written in the file. */
export type RawProperties = Readonly<Record<string, unknown>>;

/** The properties as a map. */
export function asProperties(value: unknown): RawProperties {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawProperties) : {};
}

/** The message for a property that is not there. */
export function missing(key: string): string {
  return `'${key}' must be supplied in properties`;
}

/**
 * Milliseconds of a duration such as `90s`. What is not text, or empty, counts as absent, as in existing files.
 * @returns `undefined` when the text is not a duration above 0.
 */
export function durationOf(value: unknown, usual: number): number | undefined {
  if (typeof value !== 'string' || value === '') return usual;
  const milliseconds = parseDuration(value);
  return milliseconds !== undefined && milliseconds > 0 ? milliseconds : undefined;
}

/**
 * Checks the scheme of an address as it stands in the file. Text without a scheme passes: the hook says so when it runs.
 * @throws Error for a scheme other than `http` and `https`.
 */
export function requireHttp(address: string): void {
  const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(address.trim()) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme))
    throw new Error(`url: ${JSON.stringify(withoutPassword(address))} is not an HTTP address; begin it with http:// or https://`);
}
