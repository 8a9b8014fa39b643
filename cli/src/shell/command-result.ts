/* oxlint-disable unicorn/no-thenable -- it is awaited like the promise of its data */
/** What `run` of JavaScript returns: `await` gives the data, `for await` its items as they come. */
import { isBytes, isStream, itemsOf, listOrWhole } from '@srv/engine/shell';
import type { Readable } from 'node:stream';

/** A command that has begun. */
export interface Begun {
  readonly data: unknown;
  /** The data has been read, or is not needed any more. */
  end(): void;
}

export class CommandResult implements PromiseLike<unknown>, AsyncIterable<unknown> {
  readonly #begun: Promise<Begun>;
  readonly #onError: (error: unknown) => never;
  #whole: Promise<unknown> | undefined;

  /** @param onError gets what the command throws, then and later, and throws it on. */
  constructor(begun: Promise<Begun>, onError: (error: unknown) => never) {
    this.#begun = begun;
    this.#onError = onError;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like the promise of its data
  then<A = unknown, B = never>(
    onData?: ((data: unknown) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#whole ??= this.#collect();
    return this.#whole.then(onData, onError);
  }

  catch<B>(onError: (error: unknown) => B | PromiseLike<B>): Promise<unknown> {
    return this.then(undefined, onError);
  }

  finally(onEnd: () => void): Promise<unknown> {
    return this.then().finally(onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    const { data, end } = await this.#begun.catch(this.#onError);
    try {
      if (isStream(data) || isBytes(data)) yield* data;
      else yield* itemsOf(data);
    } catch (error) {
      this.#onError(error);
    } finally {
      end();
    }
  }

  async #collect(): Promise<unknown> {
    const { data, end } = await this.#begun.catch(this.#onError);
    try {
      return await collected(data);
    } catch (error) {
      return this.#onError(error);
    } finally {
      end();
    }
  }
}

/** Lists as arrays, bytes as one buffer. */
export async function collected(data: unknown): Promise<unknown> {
  if (isBytes(data)) return (await import('node:stream/consumers')).buffer(data as Readable);
  if (!isStream(data)) return listOrWhole(data);
  const items: unknown[] = [];
  for await (const item of data) items.push(item);
  return items;
}
