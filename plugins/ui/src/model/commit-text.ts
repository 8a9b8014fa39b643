/** Whether a commit is one that people look for by a text. */

interface NamedCommit {
  readonly id: string;
  readonly message?: string | undefined;
  readonly committer?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** @param text anywhere in the message, the author or the metadata (`key`, `value` or `key=value`), or the beginning of the id. */
export function hasText({ id, message = '', committer = '', metadata = {} }: NamedCommit, text: string): boolean {
  const needle = text.toLowerCase();
  if (needle === '' || id.startsWith(needle)) return true;
  const texts = [message, committer, ...Object.entries(metadata).map(([key, value]) => `${key}=${value}`)];
  return texts.some(each => each.toLowerCase().includes(needle));
}
