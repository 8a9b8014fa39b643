/** Addresses of objects in queries. */
import { parseGlob } from '../../names/glob.js';
import type { Glob } from '../../names/glob.js';

export interface Address {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

const pattern = /^(?:srv|lakefs):\/\/([^/]+)\/([^/]+)\/(.+)$/s;

/** @param text `srv://repository/ref/path`, or the same with `lakefs`. @throws Error for every other address. */
export function addressOf(text: string): Address {
  const [, repository, ref, path] = pattern.exec(text) ?? [];
  if (repository !== undefined && ref !== undefined && path !== undefined) return { repository, ref, path };
  if (/^(?:srv|lakefs):/.test(text)) throw new Error(`${text} is not the address of an object: write srv://repository/ref/path`);
  throw new Error(`${text} is not in this server: queries read and write srv://repository/ref/path only`);
}

export function addressText({ repository, ref, path }: Address): string {
  return `srv://${repository}/${ref}/${path}`;
}

/** `undefined`: the address names one object. `*` stays within a folder, `**` does not. @throws GlobError when it is too long. */
export function patternOf(path: string): { readonly prefix: string; readonly glob: Glob } | undefined {
  const first = path.search(/[*?]/);
  return first < 0 ? undefined : { prefix: path.slice(0, first), glob: parseGlob(path, { separator: '/', globstar: true }) };
}

/** Whether the engine takes an address as the name of one file: it has none of the characters of its patterns. */
export function isPlainName(text: string): boolean {
  return !/[*?[\]{}\\]/.test(text);
}
