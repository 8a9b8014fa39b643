/** Runs hooks without the operation that would cause them: those of an ended run again, or those that an event would start. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { descendingXid, runEpoch } from '@srv/lib-records';
import { isEventType, isTagEvent } from '../files/event-types.js';
import type { Commit, Engine, Repository } from '@srv/engine/contract';
import type { EventRecord, EventType, Logger } from '@srv/kernel';
import type { RehearsedEvent, RepeatedRun } from '../contract.js';
import type { Action } from '../files/action-file.js';
import type { RunRecord } from './run-record.js';
import type { RunStore } from './run-store.js';
import type { Runner } from './runner.js';

interface RepetitionOptions {
  readonly engine: Pick<Engine, 'getCommit'>;
  readonly store: RunStore;
  readonly runner: Runner;
  readonly log: Logger;
}

export class Repetition {
  readonly #options: RepetitionOptions;

  constructor(options: RepetitionOptions) {
    this.#options = options;
  }

  /** @returns the id of the new run. @throws SrvError `not_found`, `invalid`. */
  async again(repository: Repository, record: RunRecord, request: RepeatedRun): Promise<string> {
    const { runner, store } = this.#options;
    const event = await this.#eventOf(repository, record, request);
    const found = await runner.actionsFor(event);
    const { hookRunId } = request;
    const actions = hookRunId === undefined ? found : onlyHook(found, await store.findTask(repository.id, record.runId, hookRunId), record);
    if (!actions.some(({ hooks }) => hooks.length > 0))
      throw new SrvError(
        'invalid',
        `run ${record.runId} cannot be repeated: no action file at ${record.sourceRef} names ${event.type} now`,
      );
    await this.#launch(event, actions);
    return event.runId;
  }

  /** @returns the id of the run; `undefined`: the event starts nothing. */
  async rehearse(repository: Repository, event: RehearsedEvent): Promise<string | undefined> {
    const full: EventRecord = { ...event, ...identityOf(repository) };
    const actions = await this.#options.runner.actionsFor(full);
    if (!actions.some(({ hooks }) => hooks.length > 0)) return undefined;
    await this.#launch(full, actions);
    return full.runId;
  }

  async #launch(event: EventRecord, actions: readonly Action[]): Promise<void> {
    const { runner, log } = this.#options;
    const { done } = await runner.launch(event, actions);
    const { runId, repository } = event;
    done.catch((error: unknown) => log.error({ run_id: runId, repository, error: messageOf(error) }, 'cannot record a run'));
  }

  async #eventOf(repository: Repository, record: RunRecord, { user, committer }: RepeatedRun): Promise<EventRecord> {
    const { runId, eventType: type, branch, commitId, sourceRef, facts } = record;
    if (!isEventType(type)) throw new SrvError('invalid', `run ${runId} is of ${JSON.stringify(type)}, which is not an event here`);
    const { tag, mergeSource, pullRequest, commit } = facts ?? {};
    if (isTagEvent(type) && tag === undefined)
      throw new SrvError('invalid', `run ${runId} cannot be repeated: it was recorded without the name of its tag`);
    const made = hasCommit(type)
      ? ((await this.#commit(repository, commitId)) ?? commit ?? { committer, message: '', metadata: {} })
      : undefined;
    return {
      ...identityOf(repository),
      type,
      sourceRef,
      user,
      repeats: runId,
      branch: branch || undefined,
      commitId: commitId || undefined,
      commit: made,
      tag,
      mergeSource: type.endsWith('-merge') ? (mergeSource ?? sourceRef) : undefined,
      pullRequest,
    };
  }

  /** Commits of operations that were refused go with garbage collection. */
  async #commit(repository: Repository, id: string): Promise<Commit | undefined> {
    if (id === '') return undefined;
    try {
      return await this.#options.engine.getCommit(repository, id);
    } catch (error) {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}

const identityOf = ({
  id,
  storageNamespace,
  storageId,
  instanceUid,
}: Repository): Pick<EventRecord, 'runId' | 'repository' | 'storageNamespace' | 'storageId' | 'instanceUid'> => ({
  runId: descendingXid(runEpoch),
  repository: id,
  storageNamespace,
  storageId,
  instanceUid,
});

const hasCommit = (type: EventType): boolean => /-(?:commit|merge|revert|cherry-pick)$/.test(type);

/** The one hook, which runs whatever its condition says: hooks before it are left out. */
function onlyHook(
  actions: readonly Action[],
  task: { readonly action: string; readonly hookId: string; readonly hookRunId: string } | undefined,
  { runId }: RunRecord,
): readonly Action[] {
  if (!task) throw new SrvError('not_found', `run ${runId} has no such hook: hook run not found`);
  const action = actions.find(({ name }) => name === task.action);
  const hook = action?.hooks.find(({ id }) => id === task.hookId);
  if (!action || !hook)
    throw new SrvError('invalid', `hook ${task.hookId} of action ${task.action} cannot be repeated: its action file does not have it now`);
  return [{ ...action, hooks: [{ ...hook, condition: '' }] }];
}
