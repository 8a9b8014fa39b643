/** One S3 operation as data. Which request it answers, who may ask, and what is done. */
import type { Permission } from '@srv/kernel';
import type { HeaderLines } from '../protocol/headers.js';
import type { Query } from '../protocol/query.js';
import type { BucketContext, ObjectContext, ServiceContext } from './context.js';

export interface S3Operation<C> {
  /** S3's own name, such as `GetObject`; the key of the `gatewayOperation` hook. */
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Query name that must be present. */
  readonly query?: string;
  /** Header that must be present. */
  readonly header?: string;
  /** Of a write: query names it understands in addition to `query`. */
  readonly parameters?: readonly string[];
  /** Refused on read-only repositories. */
  readonly writes?: boolean;
  /** Not offered: the handler says so. A plugin may add it. */
  readonly unsupported?: boolean;
  /** Absent: being authenticated is enough, or the handler decides per item. */
  permission?(context: C): Permission | undefined;
  /** Absent: taps of `gatewayOperation` answer. */
  handle?(context: C): Promise<void>;
}

export const serviceOperation = (operation: S3Operation<ServiceContext>): S3Operation<ServiceContext> => operation;
export const bucketOperation = (operation: S3Operation<BucketContext>): S3Operation<BucketContext> => operation;
export const objectOperation = (operation: S3Operation<ObjectContext>): S3Operation<ObjectContext> => operation;

/** First operation of the list that fits; the list goes from the special to the general. */
export function selectOperation<C>(
  list: readonly S3Operation<C>[],
  { method, query, headers }: { readonly method: string; readonly query: Query; readonly headers: HeaderLines },
): S3Operation<C> | undefined {
  return list.find(
    operation =>
      operation.method === method &&
      (operation.query === undefined || query.has(operation.query)) &&
      (operation.header === undefined || headers.get(operation.header) !== undefined),
  );
}
