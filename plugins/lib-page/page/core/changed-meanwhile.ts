/** Changes that the server rejects with 412, because a change was made since the page read the state. */
import { Refusal } from './client.js';

/**
 * Waits for a change that names the state it replaces (`If-Match`). When the server has another state by now, that is read.
 * @param change as it was sent.
 * @param reload reads the current state.
 * @param remedy what to do then, as a sentence.
 * @throws what `change` throws; for 412 a Refusal that ends with the remedy.
 */
export async function unlessChanged<T>(change: Promise<T>, reload: () => void, remedy: string): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error;
    reload();
    throw new Refusal(error.status, `Not saved: another change was made meanwhile. ${remedy}`, error.operationId, error.body);
  }
}
