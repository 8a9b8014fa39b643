/** Lists: the query every one takes, and the envelope every one answers. */
import { flag, integer, list, optional, record, text, withDefault } from './field.js';
import type { Field } from './field.js';

const most = 1000;
const usual = 100;

export const after = optional(text());
export const prefix = optional(text());
export const delimiter = optional(text());
/** 0 and -1 mean the default. */
export const amount = withDefault(integer({ min: -1, max: most }), usual);

export const paging = { prefix, after, amount };

const pagination = record({
  has_more: flag(),
  next_offset: text(),
  results: integer({ min: 0 }),
  max_per_page: integer({ min: 0 }),
});

export function listOf<O, I>(item: Field<O, I>) {
  return record(listFields(item));
}

/** For answers that have more than the list. */
export function listFields<O, I>(item: Field<O, I>) {
  return { pagination, results: list(item) };
}

interface Asked {
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly amount: number;
}

/** A page request for the engine. */
export interface EnginePageRequest {
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly amount: number;
}

/** The query as the engine takes it. */
export function pageRequest({ prefix, after, delimiter, amount }: Asked): EnginePageRequest {
  return {
    prefix: prefix || undefined,
    after: after || undefined,
    delimiter: delimiter || undefined,
    amount: amount > 0 ? amount : usual,
  };
}

interface EnginePage<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
  readonly nextOffset: string;
}

/** An engine page as clients read it. @param maxPerPage 0 on lists of users, groups and policies. */
export function presentPage<T, R>({ results, hasMore, nextOffset }: EnginePage<T>, present: (item: T) => R, maxPerPage = most) {
  return { pagination: presentPagination({ count: results.length, hasMore, nextOffset }, maxPerPage), results: results.map(present) };
}

/** What clients read of a page in addition to its items. */
export function presentPagination(
  { count, hasMore, nextOffset }: Omit<EnginePage<unknown>, 'results'> & { readonly count: number },
  maxPerPage = most,
) {
  return { has_more: hasMore, next_offset: hasMore ? nextOffset : '', results: count, max_per_page: maxPerPage };
}
