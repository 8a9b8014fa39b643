/** Lists: the query of every one, and the envelope. */
import { SrvError } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from '@srv/auth/contract';
import type { EndpointRequest } from './endpoint.js';

const most = 1000;

/** Sizes that are absent, not positive or too large mean the largest page. @throws SrvError `invalid` for what is not a number. */
export function pageRequest({ query: { prefix, after, amount } }: EndpointRequest): AuthPageRequest {
  const asked = amount === undefined || amount === '' ? most : Number(amount);
  if (!Number.isInteger(asked)) throw new SrvError('invalid', `amount ${JSON.stringify(amount)} is not a whole number`);
  return { prefix: prefix || undefined, after: after || undefined, amount: asked >= 1 && asked <= most ? asked : most };
}

export function present<T, R>({ results, hasMore, nextOffset }: AuthPage<T>, encode: (item: T) => R) {
  return {
    pagination: { has_more: hasMore, next_offset: nextOffset, results: results.length, max_per_page: most },
    results: results.map(encode),
  };
}
