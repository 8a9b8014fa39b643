/** Resource names: `arn:lakefs:<service>:<region>:<account>:<resource id>`. */
import { matches } from './wildcard.js';

interface Arn {
  readonly partition: string;
  readonly service: string;
  readonly account: string;
  /** May contain colons. */
  readonly resourceId: string;
}

/** `undefined` for text of another form. Region and account may be empty, service and resource id may not. */
export function parseArn(text: string): Arn | undefined {
  const match = /^arn:(lakefs):([^:]+):([^:]*):([^:]*):([\s\S]+)$/.exec(text);
  if (!match) return undefined;
  const [, partition = '', service = '', , account = '', resourceId = ''] = match;
  return { partition, service, account, resourceId };
}

/**
 * Whether a pattern of a policy covers a requested resource. Wildcards count in the resource id only; `*` alone covers
 * everything and is the only cover of a requested `*`.
 * @param user inserted for `${user}`.
 * @throws GlobError for a pattern that is too long.
 */
export function coversResource(pattern: string, requested: string, user: string): boolean {
  if (pattern === '*') return true;
  const have = parseArn(pattern);
  const want = parseArn(requested);
  if (!have || !want || have.partition !== want.partition || have.service !== want.service || have.account !== want.account) return false;
  return matches(have.resourceId, want.resourceId, { user });
}
