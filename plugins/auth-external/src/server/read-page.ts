/** A page of a list of the service. */
import { wirePage } from '@srv/lib-auth/authorization';
import type { AuthPage, AuthPageRequest } from '@srv/auth/contract';
import type Joi from 'joi';
import type { Call, ServiceClient } from './service-client.js';

type PageQuery = AuthPageRequest & { readonly effective?: boolean };

interface ListCall<T, R> extends Pick<Call, 'path' | 'missing'> {
  readonly item: Joi.ObjectSchema<T>;
  readonly decode: (item: T) => R;
}

export async function readPage<T, R>(
  service: ServiceClient,
  { item, decode, ...call }: ListCall<T, R>,
  { prefix, after, amount = 100, effective }: PageQuery = {},
): Promise<AuthPage<R>> {
  const query = { prefix, after, amount, effective };
  const { results, pagination } = await service.read(wirePage(item), { ...call, method: 'GET', expect: 200, query });
  // Results beyond the requested amount would be lost: the next page begins after the last one shown.
  const shown = results.slice(0, amount);
  const hasMore = pagination.has_more || shown.length < results.length;
  return { results: shown.map(decode), hasMore, nextOffset: hasMore ? pagination.next_offset : '' };
}
