/** Whole numbers in queries and headers. */
import { S3Error } from '../protocol/errors.js';
import type { Query } from '../protocol/query.js';

const largest = 2_147_483_647;

/**
 * A limit, cut to `max`; `undefined` when absent or empty.
 * @throws S3Error `InvalidArgument` unless it is a whole number from `min` (0) on.
 */
export function limitOf(query: Query, name: string, { max, min = 0 }: { readonly max: number; readonly min?: number }): number | undefined {
  const text = query.text(name);
  return text === undefined ? undefined : Math.min(wholeNumber(name, text, min), max);
}

/** @throws S3Error `InvalidArgument` unless it is a whole number from `min` on. */
export function wholeNumber(name: string, text: string, min = 0): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= largest))
    throw new S3Error('InvalidArgument', { message: `Argument ${name} must be an integer between ${min} and ${largest}` });
  return value;
}

/** @throws S3Error `InvalidArgument` unless it is 1 to 10,000. */
export function partNumberOf(query: Query): number {
  const text = query.get('partNumber') ?? '';
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 10_000)
    throw new S3Error('InvalidArgument', { message: 'Part number must be an integer between 1 and 10000, inclusive' });
  return value;
}
