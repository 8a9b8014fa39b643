/** Who is logged in, and what the server can do. */
import { signal } from '@preact/signals';
import { ask, call, onSessionEnd } from './client.js';
import { offers } from './boot.js';
import type { CallResult, Operations } from '@srv/lib-api/client';

type ServerConfig = CallResult<Operations['getConfig']>;

interface SetupState {
  readonly state?: string;
  readonly comm_prefs_missing?: boolean;
  readonly login_config?: {
    readonly RBAC?: string;
    readonly username_ui_placeholder?: string;
    readonly password_ui_placeholder?: string;
    readonly login_failed_message?: string;
    readonly fallback_login_url?: string;
    readonly fallback_login_label?: string;
    readonly logout_url?: string;
  };
}

export interface User {
  readonly id: string;
  readonly friendly_name?: string | undefined;
  readonly email?: string | undefined;
}

type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'unreachable'; readonly error: unknown }
  | { readonly state: 'out'; readonly setup: SetupState }
  | { readonly state: 'in'; readonly user: User; readonly config: ServerConfig; readonly setup: SetupState };

export const session = signal<Session>({ state: 'unknown' });

/** Asks the server again. */
export async function refreshSession(): Promise<void> {
  try {
    const setup = offers('getSetupState') ? ((await ask('getSetupState')) as SetupState) : {};
    const user = await currentUser();
    session.value = user ? { state: 'in', user, setup, config: await call('getConfig', {}) } : { state: 'out', setup };
  } catch (error) {
    session.value = { state: 'unreachable', error };
  }
}

/** An empty user is nobody; so is an error of one whose session has ended. */
async function currentUser(): Promise<User | undefined> {
  try {
    const { user } = await call('getCurrentUser', {});
    return user.id === '' ? undefined : user;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) return undefined;
    throw error;
  }
}

onSessionEnd(() => {
  const { value } = session;
  if (value.state === 'in') session.value = { state: 'out', setup: value.setup };
});

// Another tab may have logged out, or logged in as somebody else; a page from the history does not know.
addEventListener('pageshow', event => {
  if (event.persisted) void refreshSession();
});
let seen = Date.now();
addEventListener('focus', () => {
  if (session.value.state !== 'in' || Date.now() - seen < 60_000) return;
  seen = Date.now();
  void currentUser().then(
    user => {
      if (session.value.state === 'in' && user?.id !== session.value.user.id) void refreshSession();
    },
    () => undefined,
  );
});

/** Of the block store. */
export function storage(): ServerConfig['storage_config'] {
  return session.value.state === 'in' ? session.value.config.storage_config : undefined;
}
