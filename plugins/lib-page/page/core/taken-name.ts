/** Names that exist already. */
import { Refusal } from './wire.js';

/**
 * Waits for a creation.
 * @param what of which kind it is, and its name, such as `branch dev`.
 * @throws what the server said; where the name is taken, that it is, and what to do.
 */
export async function creationOf<T>(what: string, creation: Promise<T>): Promise<T> {
  try {
    return await creation;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 409 || !/not unique$|^Already exists$/.test(error.message)) throw error;
    throw new Refusal(409, `The ${what} exists already: choose another name.`, error.operationId, error.body);
  }
}
