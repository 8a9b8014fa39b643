/** Runs the actions of one event: actions side by side, the hooks of each one after another (actions sheet, section 5). */
import { SrvError, messageOf } from '@srv/kernel';
import { isMet } from '../files/condition.js';
import { eventPayload } from '../payload.js';
import { never } from '../wire-time.js';
import { MaskedEnvironment } from './environment.js';
import { HookOutput } from './hook-output.js';
import type { EventRecord, ServiceRegistry } from '@srv/kernel';
import type { HookType } from '@srv/lib-api/hook-types';
import type { Action, ActionHook, HookTypes } from '../files/action-file.js';
import type { EnvironmentSettings } from './environment.js';

/** One hook of a run. */
export interface HookRun {
  readonly hookRunId: string;
  readonly action: Action;
  readonly hook: ActionHook;
  readonly output: HookOutput;
  readonly environment: MaskedEnvironment;
  state: 'waiting' | 'running' | 'passed' | 'failed' | 'skipped';
  start: Date;
  end: Date;
  /** Of a failed one: what users read, without secrets. */
  error?: string;
}

interface ExecutionOptions {
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly hookTypes: HookTypes;
}

export interface ExecutionWatcher {
  /** A hook began or ended. */
  changed(run: HookRun): void;
  /** A hook ended after it ran: its output is complete. @throws what stops the action. */
  ended(run: HookRun): Promise<void>;
}

/** Hooks in the order of their ids, none of which has begun. */
export function plannedHooks(actions: readonly Action[], settings: EnvironmentSettings): HookRun[][] {
  return actions.map((action, actionIndex) =>
    action.hooks.map((hook, hookIndex) => {
      const environment = new MaskedEnvironment(settings);
      return {
        hookRunId: `${fourDigits(actionIndex)}_${fourDigits(hookIndex)}`,
        action,
        hook,
        output: new HookOutput(environment),
        environment,
        state: 'waiting',
        start: never,
        end: never,
      };
    }),
  );
}

/**
 * Runs planned hooks to their ends; the result is in them.
 * @throws what a watcher threw, when all actions are through.
 */
export async function execute(
  planned: readonly (readonly HookRun[])[],
  event: EventRecord,
  signal: AbortSignal,
  watcher: ExecutionWatcher,
  options: ExecutionOptions,
): Promise<void> {
  const results = await Promise.allSettled(
    planned.map(async hooks => {
      let failed = false;
      for (const run of hooks) {
        const call = (): Promise<void> => callHook(run, event, signal, options);
        await runHook(run, failed, call, watcher);
        failed ||= run.state === 'failed';
      }
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Characters of why a hook failed: answers, logs and outputs have it. */
const longestCause = 16_384;

function shortened(cause: string): string {
  return cause.length <= longestCause ? cause : `${cause.slice(0, longestCause)} [${cause.length - longestCause} further characters]`;
}

/** @param failed a hook before it in its action. */
async function runHook(run: HookRun, failed: boolean, call: () => Promise<void>, watcher: ExecutionWatcher): Promise<void> {
  const start = new Date();
  try {
    if (!isMet(run.hook.condition, { failed })) {
      run.state = 'skipped';
      watcher.changed(run);
      return;
    }
    Object.assign(run, { state: 'running', start });
    watcher.changed(run);
    await call();
    run.state = 'passed';
    run.output.close();
  } catch (error) {
    const cause = shortened(run.environment.masked(run.state === 'running' ? `action failed: ${messageOf(error)}` : messageOf(error)));
    Object.assign(run, { state: 'failed', start, error: cause });
    run.output.close(`Error: ${cause}`);
  }
  run.end = new Date();
  watcher.changed(run);
  await watcher.ended(run);
}

async function callHook(run: HookRun, event: EventRecord, signal: AbortSignal, { services, hookTypes }: ExecutionOptions): Promise<void> {
  const { action, hook, hookRunId, environment, output } = run;
  const type: HookType | undefined = hookTypes(hook.type);
  if (!type) throw new SrvError('plugin', `no plugin offers the hook type ${hook.type} any more`);
  if (signal.aborted) throw stopped(signal);
  const running = type.run({
    action: action.name,
    hookId: hook.id,
    hookRunId,
    properties: hook.properties,
    event,
    payload: eventPayload(event, { action: action.name, hookId: hook.id }),
    env: environment,
    services,
    log: text => output.append(text),
    signal,
  });
  await untilAborted(running, signal);
}

/** A hook type that ignores the signal must not delay the event. */
async function untilAborted(running: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(stopped(signal));
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    await Promise.race([running, aborted]);
  } catch (error) {
    throw signal.aborted ? stopped(signal) : error;
  } finally {
    signal.removeEventListener('abort', leave);
    running.catch(() => {});
  }
}

function stopped(signal: AbortSignal): Error {
  return signal.reason instanceof SrvError ? signal.reason : new SrvError('cancelled', 'the caller did not wait for the end');
}

/** What callers read of failed actions, as they compare it; `undefined` when every hook passed or was skipped. */
export function failureText(planned: readonly (readonly HookRun[])[]): string | undefined {
  const failures = planned.flatMap(hooks => hooks.find(({ state }) => state === 'failed') ?? []);
  return failures.length === 0
    ? undefined
    : errorList(
        failures.map(r => `hook run id '${r.hookRunId}' failed on action '${r.action.name}' hook '${r.hook.id}': ${r.error ?? ''}`),
      );
}

/** Several errors as one text; the page takes it apart line by line. */
export function errorList(errors: readonly string[]): string {
  return `${errors.length} ${errors.length === 1 ? 'error' : 'errors'} occurred:\n${errors.map(e => `\t* ${e}\n`).join('')}\n`;
}

function fourDigits(index: number): string {
  return String(index).padStart(4, '0');
}
