/** A whole server with a hook type of this test: hooks do what their properties say, and record what they were given. */

import { setTimeout as sleep } from 'node:timers/promises';
import engineOperations from '@srv/engine/operations';
import { definePlugin } from '@srv/kernel';
import { createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import Joi from 'joi';
import actionOperations from '../src/operations.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type {} from '@srv/engine/operations';
import type { KvStore } from '@srv/kernel';
import type { HookRequest, HookType } from '@srv/lib-api/hook-types';
import type { RunningSrv } from '@srv/test-servers';

interface ProbeProperties {
  /** Printed. */
  readonly say?: string;
  /** The hook fails with it. */
  readonly fail?: string;
  /** The hook ends when the test opens this gate. */
  readonly gate?: string;
  readonly text?: string;
}

const properties = Joi.object<ProbeProperties>({
  say: Joi.string(),
  fail: Joi.string(),
  gate: Joi.string(),
  text: Joi.string().required().messages({ 'any.required': "'text' must be supplied in properties" }),
});

export class Probe {
  readonly calls: HookRequest<ProbeProperties>[] = [];
  readonly #open = new Set<string>();
  /** Runs while a hook does. */
  during: (request: HookRequest<ProbeProperties>) => Promise<void> = async () => {};

  readonly type: HookType<ProbeProperties> = {
    properties,
    run: async request => {
      this.calls.push(request);
      const { say, fail, gate } = request.properties;
      if (say !== undefined) request.log(request.env.fill(say).text);
      await this.during(request);
      while (gate !== undefined && !this.#open.has(gate) && !request.signal.aborted) await sleep(5);
      if (fail !== undefined) throw new Error(request.env.fill(fail).text);
    },
  };

  readonly plugin = definePlugin({
    name: 'hook-probe',
    apply: ({ hooks }) => hooks.hookType.for('probe').tap('hook-probe', () => this.type),
  });

  open(gate: string): void {
    this.#open.add(gate);
  }

  /** `<event> <hook id>` of every call. */
  get trace(): string[] {
    return this.calls.map(({ event, hookId }) => `${event.type} ${hookId}`);
  }
}

export async function openServer(
  t: TestContext,
  options: { readonly plugins?: readonly string[]; readonly config?: Readonly<Record<string, unknown>> } = {},
) {
  const probe = new Probe();
  const srv = await startSrv({ ...options, plugins: ['actions', ...(options.plugins ?? [])], inline: [{ plugin: probe.plugin }] });
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (isOpen) await srv.stop();
    isOpen = false;
  };
  t.after(stop);
  const client = clientOf(srv);
  t.after(() => client.close());
  const engine = srv.kernel.services.get('engine');
  await engine.createRepository({ id: 'repo', storageNamespace: 'local://repo' });
  const put = async (branch: string, path: string, content: string): Promise<void> => {
    await engine.putObject('repo', branch, path, Buffer.from(content));
  };
  return { ...srv, stop, probe, client, engine, put };
}

function clientOf({ url, key }: Pick<RunningSrv, 'url' | 'key'>) {
  return createClient({ operations: { ...engineOperations, ...actionOperations }, endpointUrl: url, retries: { enabled: false }, ...key });
}

/** An action file of probes, each with its properties. */
export function actionFile(
  name: string,
  on: readonly string[],
  hooks: Readonly<Record<string, ProbeProperties & { readonly if?: string }>>,
): string {
  const lines = Object.entries(hooks).map(([id, { if: condition, ...given }]) =>
    JSON.stringify({ id, type: 'probe', ...(condition === undefined ? {} : { if: condition }), properties: { text: 'x', ...given } }),
  );
  return `name: ${name}\non:\n${on.map(event => `  ${event}:\n`).join('')}hooks:\n${lines.map(line => `  - ${line}\n`).join('')}`;
}

/** A store with other members in part, whose end leaves the store open. */
export function kvView(kv: KvStore, changes: Partial<KvStore> = {}): KvStore {
  return {
    type: kv.type,
    isShared: kv.isShared,
    get: (...args) => kv.get(...args),
    set: (...args) => kv.set(...args),
    setIf: (...args) => kv.setIf(...args),
    delete: (...args) => kv.delete(...args),
    scan: (...args) => kv.scan(...args),
    close: () => Promise.resolve(),
    ...changes,
  };
}
