/** Users, groups, policies and credentials as they travel. */
import { ask, session } from '@srv/lib-page/page';
import type { Page } from '@srv/lib-page/page';

export interface User {
  readonly id: string;
  readonly creation_date: number;
  readonly friendly_name?: string;
  readonly email?: string;
}
export interface Group {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly creation_date: number;
}
export interface Credential {
  readonly access_key_id: string;
  readonly creation_date: number;
}
interface Statement {
  readonly effect: 'allow' | 'deny';
  readonly resource: string;
  readonly action: readonly string[];
  readonly condition?: unknown;
}
export interface Policy {
  readonly id: string;
  readonly creation_date?: number;
  readonly statement: readonly Statement[];
}

/** One page of any list. */
export async function list<T>(
  operationId: string,
  input: Readonly<Record<string, unknown>>,
  after: string,
  signal: AbortSignal,
): Promise<Page<T>> {
  return (await ask(operationId, { ...input, after, amount: 1000 }, { signal })) as Page<T>;
}

/** What this server's way of managing users has. */
export function adminMode(): { readonly mode: string; readonly groups: boolean; readonly policies: boolean } {
  const { value } = session;
  const mode = value.state === 'in' ? (value.setup.login_config?.RBAC ?? 'none') : 'none';
  return { mode, groups: mode !== 'none', policies: mode === 'internal' || mode === 'external' };
}

export const ownId = (): string => (session.value.state === 'in' ? session.value.user.id : '');
