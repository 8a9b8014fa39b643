/** Does one thing to each of several: one that fails does not keep it from the others. */
import { Refusal, messageOf, shownName } from '@srv/lib-page/page';

export interface Outcome {
  /** Ids of those it was done to, now or before. */
  readonly done: readonly string[];
  /** A line for each of the others: its name, and why it failed. */
  readonly failures: readonly string[];
}

/**
 * @param act runs one after the other.
 * @param doneStatus of refusals that mean that nothing is left to do, such as 409 for what is there already.
 */
export async function tryEach(ids: Iterable<string>, act: (id: string) => Promise<unknown>, doneStatus: number): Promise<Outcome> {
  const [done, failures]: [string[], string[]] = [[], []];
  for (const id of ids)
    await act(id).then(
      () => done.push(id),
      (error: unknown) => {
        if (error instanceof Refusal && error.status === doneStatus) done.push(id);
        else failures.push(`${shownName(id)}: ${messageOf(error)}`);
      },
    );
  return { done, failures };
}
