/** What a hook type is tested with. */
import { SrvError } from '@srv/kernel';
import type { EventRecord } from '@srv/kernel';
import type { HookRequest } from '../hook-types/hook-type.js';

export interface RequestUnderTest<P> {
  readonly request: HookRequest<P>;
  /** Everything printed so far, not masked. */
  printed(): string;
}

export interface RequestChoices<P> extends Partial<Omit<HookRequest<P>, 'properties' | 'event'>> {
  readonly properties: P;
  readonly event?: Partial<EventRecord>;
  /** Environment variables that are within reach. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A request of a `pre-commit` event, with changes. */
export function hookRequest<P>({ event = {}, variables = {}, ...changes }: RequestChoices<P>): RequestUnderTest<P> {
  const chunks: Buffer[] = [];
  const full: EventRecord = {
    runId: 'i9v2k0lpocvs73ftd7u0',
    type: 'pre-commit',
    repository: 'repo',
    storageNamespace: 'local://repo',
    sourceRef: 'main',
    branch: 'main',
    user: 'ann',
    commit: { committer: 'ann', message: 'a message', metadata: {} },
    ...event,
  };
  const fill = (text: string) => {
    let secret = false;
    const filled = text.replace(/\{\{ ?ENV\.([^{}\n]*?) ?\}\}/g, (_, name: string) => {
      secret = true;
      const value = variables[name];
      if (value === undefined) throw new SrvError('invalid', `${name} not found: missing env var`);
      return value;
    });
    return { text: filled, secret };
  };
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value).text;
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item)]));
  };
  const missing = (name: string): never => {
    throw new SrvError('plugin', `no plugin provides the service ${name}`);
  };
  const request: HookRequest<P> = {
    action: 'an action',
    hookId: 'a-hook',
    hookRunId: '0000_0000',
    event: full,
    payload: {
      event_type: full.type,
      event_time: '2026-01-31T10:00:00Z',
      action_name: 'an action',
      hook_id: 'a-hook',
      repository_id: full.repository,
    },
    env: { fill, fillAll: value => deep(value) as typeof value },
    services: { get: missing, find: () => undefined },
    log: text => void chunks.push(Buffer.from(text)),
    signal: new AbortController().signal,
    ...changes,
  };
  return { request, printed: () => Buffer.concat(chunks).toString('utf8') };
}
export * from './face-client.js';
export * from './face-server.js';
export * from './large-file.js';
