/** Bodies as the caller gives them; their faults are not the store's. */
import { checkedBody } from '@srv/lib-stores/block';
import type { Readable } from 'node:stream';
import type { PutOptions } from '@srv/lib-stores/block';

/** Carries what a body threw past the translation of the store's errors: a client that goes away looks the same there. */
export class BodyFailure extends Error {
  constructor(cause: unknown) {
    super('the body failed', { cause });
  }
}

/** The chunks of a body. @throws BodyFailure with what {@link checkedBody}, or the body, throws. */
export async function* bodyChunks(body: Readable | Buffer, options: PutOptions): AsyncGenerator<Buffer> {
  try {
    yield* checkedBody(body, options);
  } catch (error) {
    throw new BodyFailure(error);
  }
}
