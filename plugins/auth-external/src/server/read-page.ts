/** A page of a list of the service. */
import { wirePage } from '@srv/lib-auth/authorization';
import type { AuthPage, AuthPageRequest } from '@srv/auth/contract';
import type Joi from 'joi';
import type { Call, ServiceClient } from './service-client.js';

type PageQuery = AuthPageRequest & { readonly effective?: boolean };

interface ListCall<T, R> extends Pick<Call, 'path' | 'missing'> {
  readonly item: Joi.ObjectSchema<T>;
  readonly decode: (item: T) => R;
  /** After which the next page begins. */
  readonly nameOf: (shown: R) => string;
}

export async function readPage<T, R>(
  service: ServiceClient,
  { item, decode, nameOf, ...call }: ListCall<T, R>,
  { prefix, after, amount = 100, effective }: PageQuery = {},
): Promise<AuthPage<R>> {
  const query = { prefix, after, amount, effective };
  const { results, pagination } = await service.read(wirePage(item), { ...call, method: 'GET', expect: 200, query });
  const shown = results.slice(0, amount).map(decode);
  const last = shown.at(-1);
  // The service's offset is the end of what it sent, which may be more than was asked for.
  const isWhole = shown.length === results.length && pagination.next_offset !== '';
  const next = isWhole ? pagination.next_offset : last === undefined ? '' : nameOf(last);
  // Without an offset the next page would be this one again.
  const hasMore = next !== '' && (pagination.has_more || shown.length < results.length);
  return { results: shown, hasMore, nextOffset: hasMore ? next : '' };
}
