/** Runs for features and operations: ended ones from their records, active ones from the server that runs them. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { descendingXid, pageSize, runEpoch } from '@srv/lib-records';
import { checkActionFile } from '../files/parse.js';
import { select } from '../files/selection.js';
import { isNever, never } from '../wire-time.js';
import { fileLimit } from './action-source.js';
import { exampleEvent } from './example-event.js';
import { errorList } from './execution.js';
import { Repetition } from './repetition.js';
import type { Engine, Page, PageRequest, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { ActionRun, ActionRuns, HookRunFacts, ManualRun, RehearsedEvent, RepeatedRun, RunFilter } from '../contract.js';
import type { HookTypes } from '../files/action-file.js';
import type { RunFacts } from './run-facts.js';
import type { RunRecord, TaskRecord } from './run-record.js';
import type { RunStore } from './run-store.js';
import type { Runner } from './runner.js';
import type { RunningHook, RunningRun, RunningRuns } from './running-runs.js';
import type { YamlReader } from './yaml-reader.js';

interface RunServiceOptions {
  readonly engine: Pick<Engine, 'getRepository' | 'getBranch' | 'getCommit'>;
  readonly store: RunStore;
  readonly running: RunningRuns;
  readonly runner: Runner;
  readonly hookTypes: HookTypes;
  readonly yaml: YamlReader;
  readonly log: Logger;
}

export class RunService implements ActionRuns {
  readonly #options: RunServiceOptions;
  readonly #repetition: Repetition;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#repetition = new Repetition(options);
  }

  async list(id: string, filter: RunFilter = {}): Promise<Page<ActionRun>> {
    const { store, runner, engine } = this.#options;
    if (filter.branch !== undefined && filter.commit !== undefined)
      throw new SrvError('invalid', "can't use both branchID and MergedCommitID: parameters conflict");
    await engine.getRepository(id);
    await runner.settled();
    const { results, ...page } = await store.list(id, filter);
    return { ...page, results: results.map(endedRun) };
  }

  async get(id: string, runId: string): Promise<ActionRun> {
    await this.#options.engine.getRepository(id);
    const underWay = await this.#underWay(id, runId);
    if (underWay) return runUnderWay(underWay);
    return endedRun(await this.#ended(id, runId));
  }

  async hooks(id: string, runId: string, page: Pick<PageRequest, 'after' | 'amount'> = {}): Promise<Page<HookRunFacts>> {
    const { store, engine } = this.#options;
    await engine.getRepository(id);
    const underWay = await this.#underWay(id, runId);
    if (!underWay) {
      const { results, ...rest } = await store.tasks(id, runId, page);
      return { ...rest, results: results.map(endedHook) };
    }
    const { after = '' } = page;
    const following = underWay.hooks.filter(({ hookRunId }) => hookRunId > after).sort((a, b) => (a.hookRunId < b.hookRunId ? -1 : 1));
    const results = following.slice(0, pageSize(page.amount)).map(hookUnderWay);
    const hasMore = following.length > results.length;
    return { results, hasMore, nextOffset: hasMore ? (results.at(-1)?.hookRunId ?? '') : '' };
  }

  async output(id: string, runId: string, hookRunId: string): Promise<Buffer> {
    const { store, runner, engine } = this.#options;
    const repository = await engine.getRepository(id);
    const place = { repository: id, storageNamespace: repository.storageNamespace, storageId: repository.storageId };
    const live = runner.live(id, runId)?.hooks.find(hook => hook.hookRunId === hookRunId);
    if (live) return live.output.bytes;
    const task = await store.findTask(id, runId, hookRunId);
    if (task) return isNever(task.start) ? Buffer.alloc(0) : store.output(place, runId, hookRunId);
    const elsewhere = (await this.#underWay(id, runId))?.hooks.find(hook => hook.hookRunId === hookRunId);
    if (!elsewhere) throw new SrvError('not_found', `hook run ${JSON.stringify(hookRunId)} of run ${JSON.stringify(runId)}: not found`);
    return store.output(place, runId, hookRunId).catch((error: unknown) => {
      if (isSrvError(error, 'no_data')) return Buffer.alloc(0);
      throw error;
    });
  }

  async run(id: string, request: ManualRun): Promise<string> {
    const { runner, hookTypes, yaml, log } = this.#options;
    const repository = await this.#options.engine.getRepository(id);
    const event = await this.#exampleOf(repository, request);
    if (Buffer.byteLength(request.file) > fileLimit) throw new SrvError('invalid', `the action file is larger than ${fileLimit} bytes`);
    const parsed = checkActionFile(await yaml.read(request.file), hookTypes);
    const { actions, problems } = select([{ path: 'of this request', parsed }], event);
    if (problems.length > 0) throw new SrvError('invalid', errorList(problems));
    const [action] = actions;
    if (!action)
      throw new SrvError(
        'invalid',
        `the action is not started by ${event.type} on ${event.branch ?? event.tag ?? ''}: add the event under on:, or name another one`,
      );
    if (action.hooks.length === 0) throw new SrvError('invalid', `action ${action.name} has no hooks: add some under hooks:`);
    const { done } = await runner.launch(event, actions);
    done.catch((error: unknown) => log.error({ run_id: event.runId, repository: id, error: messageOf(error) }, 'cannot record a run'));
    return event.runId;
  }

  async again(id: string, runId: string, request: RepeatedRun): Promise<string> {
    const repository = await this.#options.engine.getRepository(id);
    const ended = await this.#options.store.find(id, runId);
    if (!ended && (await this.#underWay(id, runId)))
      throw new SrvError('conflict', `run ${JSON.stringify(runId)} is in progress: wait for its end`);
    return this.#repetition.again(repository, ended ?? (await this.#ended(id, runId)), request);
  }

  async rehearse(id: string, event: RehearsedEvent): Promise<string | undefined> {
    return this.#repetition.rehearse(await this.#options.engine.getRepository(id), event);
  }

  async ofMerge(id: string, sourceCommit: string, destination: string): Promise<readonly ActionRun[]> {
    const { store, running, engine } = this.#options;
    await engine.getRepository(id);
    const found = new Map<string, ActionRun>();
    for await (const run of running.of(id))
      if (run.eventType === 'pre-merge' && run.sourceRef === sourceCommit && run.branch === destination)
        found.set(run.runId, runUnderWay(run));
    const { results } = await store.list(id, { source: sourceCommit });
    for (const run of results) if (run.branch === destination) found.set(run.runId, endedRun(run));
    return [...found.values()].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  }

  async #ended(id: string, runId: string): Promise<RunRecord> {
    const run = await this.#options.store.find(id, runId);
    if (!run) throw new SrvError('not_found', `run ${JSON.stringify(runId)}: not found`, { details: { run: runId } });
    return run;
  }

  async #exampleOf(repository: Repository, { event, branch, user, committer }: ManualRun) {
    const { engine } = this.#options;
    const { commitId } = await engine.getBranch(repository, branch);
    const head = await engine.getCommit(repository, commitId);
    return exampleEvent({ runId: descendingXid(runEpoch), type: event, repository, branch, head, user, committer });
  }

  /** On this server as it is now, on another one as it last said. */
  #underWay(repository: string, runId: string): RunningRun | undefined | Promise<RunningRun | undefined> {
    const { runner, store, running } = this.#options;
    const live = runner.live(repository, runId);
    if (live) return live.describe();
    // Asked for seldom, and the records of ended runs are the rule.
    return store.find(repository, runId).then(ended => (ended ? undefined : running.find(repository, runId)));
  }
}

function endedRun({ runId, eventType, branch, commitId, sourceRef, start, end, passed, facts }: RunRecord): ActionRun {
  return { runId, eventType, branch, commitId, sourceRef, start, end, status: passed ? 'completed' : 'failed', ...repeatsOf(facts) };
}

function runUnderWay({ runId, eventType, branch, commitId, sourceRef, start, facts }: RunningRun): ActionRun {
  return { runId, eventType, branch, commitId, sourceRef, start: new Date(start), status: 'running', ...repeatsOf(facts) };
}

const repeatsOf = (facts: RunFacts | undefined): Pick<ActionRun, 'repeats'> =>
  facts?.repeats === undefined ? {} : { repeats: facts.repeats };

function endedHook({ hookRunId, action, hookId, start, end, passed }: TaskRecord): HookRunFacts {
  if (isNever(start)) return { hookRunId, action, hookId, start, status: 'skipped' };
  return { hookRunId, action, hookId, start, end, status: passed ? 'completed' : 'failed' };
}

function hookUnderWay({ hookRunId, action, hookId, state, start, end }: RunningHook): HookRunFacts {
  const facts = { hookRunId, action, hookId, start: start === 0 ? never : new Date(start) };
  if (state === 'skipped') return { ...facts, status: 'skipped' };
  if (state === 'waiting' || state === 'running') return { ...facts, status: 'running' };
  return { ...facts, end: new Date(end), status: state === 'passed' ? 'completed' : 'failed' };
}
