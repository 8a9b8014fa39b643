/** Calls the taps of repository events: before the fact they may refuse, after it they run on their own. */

import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { descendingXid, runEpoch } from '@srv/lib-records';
import type { ErrorCode, EventRecord, EventType, Hooks, Logger } from '@srv/kernel';
import type { Repository } from './contract.js';

export type EventFacts = Omit<EventRecord, 'runId' | 'type' | 'repository' | 'storageNamespace' | 'storageId' | 'instanceUid' | 'signal'>;

interface BeforeOptions {
  /** The caller that waits for the answer. A signal that comes from a request is created when it is first read. */
  readonly caller: Pick<EventRecord, 'signal'>;
  /** Begins the message of a refusal. */
  readonly prefix?: string;
}

/** Errors of taps that refuse nothing: the question went unanswered. */
const faults: readonly ErrorCode[] = ['moving', 'unavailable', 'slow_down', 'timeout', 'cancelled', 'closed', 'corrupt', 'internal'];

export class Events {
  readonly #hooks: Hooks;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(hooks: Hooks, log: Logger) {
    this.#hooks = hooks;
    this.#log = log;
  }

  /**
   * Asks the taps of a `pre-` or `prepare-` event. Read-only repositories have no hooks.
   * @returns the run id, for the matching `post-` event.
   * @throws SrvError `hook_aborted`, or with the code of the error when a tap could not do its work.
   */
  async before(repository: Repository, type: EventType, facts: EventFacts, { caller, prefix = '' }: BeforeOptions): Promise<string> {
    const runId = descendingXid(runEpoch);
    const hook = this.#hooks.event.get(type);
    if (!hook || repository.readOnly) return runId;
    try {
      await hook.promise(Object.assign(new Asked(caller), record(repository, type, runId, facts)));
    } catch (error) {
      const code = isSrvError(error, ...faults) ? error.code : 'hook_aborted';
      // A refusal without a run, as for a broken action file, leaves no record that could be asked for.
      const hasRun = isSrvError(error) && 'runId' in error.details;
      throw new SrvError(code, `${prefix}${type} hook aborted${hasRun ? `, run id '${runId}'` : ''}: ${messageOf(error)}`, {
        cause: error,
        details: hasRun ? { runId } : {},
      });
    }
    return runId;
  }

  /** Notifies the taps of a `post-` event without waiting for them. */
  after(repository: Repository, type: EventType, facts: EventFacts): void {
    const hook = this.#hooks.event.get(type);
    if (!hook || repository.readOnly) return;
    const runId = descendingXid(runEpoch);
    const running = hook
      .promise(record(repository, type, runId, facts))
      .catch((error: unknown) =>
        this.#log.error({ event: type, run_id: runId, repository: repository.id, error: messageOf(error) }, 'post hook failed'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for `post-` events under way. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

function record(
  { id, storageNamespace, storageId, instanceUid }: Repository,
  type: EventType,
  runId: string,
  facts: EventFacts,
): EventRecord {
  return { runId, type, repository: id, storageNamespace, storageId, instanceUid, ...facts };
}

/** An event whose caller may stop waiting; watching it begins when the signal is first read. */
class Asked {
  readonly #caller: BeforeOptions['caller'];

  constructor(caller: BeforeOptions['caller']) {
    this.#caller = caller;
  }

  get signal(): AbortSignal | undefined {
    return this.#caller.signal;
  }
}
