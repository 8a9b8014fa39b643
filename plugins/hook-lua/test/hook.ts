/** A whole server with the plugin, and hooks run on it the way action files have them run. */
import assert from 'node:assert/strict';
import { SrvError, messageOf } from '@srv/kernel';
import { startSrv } from '@srv/test-servers';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { EventRecord } from '@srv/kernel';
import type { HookEnvironment } from '@srv/lib-api/hook-types';
import type { RunningSrv, SrvOptions } from '@srv/test-servers';
import type { Outcome } from './run-script.js';

interface HookOptions {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly event?: Partial<EventRecord>;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Gets the output while the script runs. */
  readonly onOutput?: (text: string) => void;
}

export interface HookServer extends RunningSrv {
  /** Runs a script as a hook of `lakes`, by default before a commit of `main`. */
  runHook(script: string, options?: HookOptions): Promise<Outcome>;
}

export const repository = 'lakes';

export async function startHookServer(options: SrvOptions = {}): Promise<HookServer> {
  const srv = await startSrv({ ...options, plugins: ['hook-lua', ...(options.plugins ?? [])] });
  await srv.kernel.services.get('engine').createRepository({ id: repository, storageNamespace: `local://${repository}` });
  return { ...srv, runHook: (script, hook) => runHook(srv, script, hook) };
}

async function runHook(
  { kernel }: RunningSrv,
  script: string,
  { properties = {}, event = {}, env = {}, signal, onOutput }: HookOptions = {},
): Promise<Outcome> {
  const type = kernel.hooks.hookType.get('lua')?.call();
  assert.ok(type, 'the plugin offers no hook type');
  const checked = type.properties.validate({ ...(script === '' ? {} : { script }), ...properties });
  if (checked.error) return { output: '', failure: checked.error.message };
  const pieces: Buffer[] = [];
  const record: EventRecord = {
    runId: 'run1',
    type: 'pre-commit',
    repository,
    storageNamespace: `local://${repository}`,
    sourceRef: 'main',
    branch: 'main',
    user: 'admin',
    ...event,
  };
  try {
    await type.run({
      action: 'good files',
      hookId: 'check',
      hookRunId: '0000_0000',
      properties: checked.value,
      event: record,
      payload: { event_type: record.type, event_time: '', action_name: 'good files', hook_id: 'check', repository_id: repository },
      env: environment(env),
      services: kernel.services,
      log: text => {
        pieces.push(Buffer.from(text));
        onOutput?.(String(text));
      },
      signal: signal ?? new AbortController().signal,
    });
    return { output: Buffer.concat(pieces).toString() };
  } catch (error) {
    return { output: Buffer.concat(pieces).toString(), failure: messageOf(error) };
  }
}

/** `{{ ENV.NAME }}` becomes what `env` has under the name. */
function environment(env: Readonly<Record<string, string>>): HookEnvironment {
  const fill = (text: string) => {
    let secret = false;
    const filled = text.replaceAll(/\{\{ ?ENV\.(\w+) ?\}\}/g, (_, name: string) => {
      secret = true;
      const value = env[name];
      if (value === undefined) throw new SrvError('invalid', `${name} not found: missing env var`);
      return value;
    });
    return { text: filled, secret };
  };
  return { fill, fillAll: value => value };
}
