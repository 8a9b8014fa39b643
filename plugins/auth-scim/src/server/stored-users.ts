/** Users of the directory, in whole. */
import { equalsInAnyCase } from './filter.js';
import type { AuthService } from '@srv/auth/contract';

/** Names of all users. */
export async function* userNames(auth: AuthService): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await auth.listUsers({ after, amount: 1000 });
    for (const { username } of results) yield username;
    if (!hasMore) return;
    after = nextOffset;
  }
}

/** Names that are the given one but for their case. */
export async function* namesakes(auth: AuthService, userName: string): AsyncGenerator<string> {
  for await (const name of userNames(auth)) if (equalsInAnyCase(name, userName)) yield name;
}
