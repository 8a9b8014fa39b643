/** Texts of commits: what people look for, and how a message is divided. */

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

/** The first line of a message, and what follows it without the blank lines between them. */
export function titleAndBody(message: string): { readonly title: string; readonly body: string } {
  const end = message.indexOf('\n');
  if (end < 0) return { title: message, body: '' };
  const rest = message.slice(end + 1).split('\n');
  const first = rest.findIndex(line => line.trim() !== '');
  return { title: message.slice(0, end).trimEnd(), body: first < 0 ? '' : rest.slice(first).join('\n').trimEnd() };
}
