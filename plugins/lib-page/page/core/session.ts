/** Who is logged in, and what the server can do. */
import { signal } from '@preact/signals';
import { offers } from './boot.js';
import { ask, onSessionEnd } from './client.js';
import { to } from './links.js';
import { holdsTypedText } from './typed-text.js';
import type { Entry } from '../../src/description.js';

/** What the page needs of the server's configuration. */
interface ServerConfig {
  readonly storage_config?: StorageConfig;
  readonly storage_config_list?: readonly StorageConfig[];
  readonly ui_config?: {
    readonly custom_viewers?: readonly {
      readonly name: string;
      readonly url: string;
      readonly extensions?: readonly string[];
      readonly content_types?: readonly string[];
    }[];
    readonly commit_fields?: readonly {
      readonly key: string;
      readonly label?: string;
      readonly kind: 'text' | 'date';
      readonly required: boolean;
      readonly values: readonly string[];
    }[];
  };
}

interface StorageConfig {
  readonly blockstore_type: string;
  readonly blockstore_namespace_example: string;
  readonly blockstore_namespace_ValidityRegex: string;
  readonly default_namespace_prefix?: string;
  readonly pre_sign_support: boolean;
  readonly pre_sign_support_ui: boolean;
  readonly pre_sign_multipart_upload?: boolean;
  readonly blockstore_id?: string;
  readonly blockstore_description?: string;
  readonly import_support: boolean;
  readonly import_validity_regex: string;
  readonly [more: string]: unknown;
}

interface SetupState {
  readonly state?: string;
  readonly comm_prefs_missing?: boolean;
  readonly login_config?: {
    readonly RBAC?: string;
    readonly username_ui_placeholder?: string;
    readonly password_ui_placeholder?: string;
    readonly login_failed_message?: string;
    readonly notice?: string;
    readonly login_url?: string;
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
  | {
      readonly state: 'in';
      readonly user: User;
      readonly config: ServerConfig;
      readonly setup: SetupState;
      /** The server accepts the session no longer: the view stays for what was typed into it. */
      readonly isOver?: boolean;
    };

export const session = signal<Session>({ state: 'unknown' });

/** Carries the id of the user, empty for none, to other tabs with this page whenever the server was asked for it. */
const tabs = new BroadcastChannel(`srv.session ${new URL(document.baseURI).pathname}`);

/** Asks the server again. */
export async function refreshSession(): Promise<void> {
  try {
    const setup = offers('getSetupState') ? ((await ask('getSetupState')) as SetupState) : {};
    const user = await currentUser();
    tabs.postMessage(user?.id ?? '');
    if (user) session.value = { state: 'in', user, setup, config: (await ask('getConfig')) as ServerConfig };
    else end(setup);
  } catch (error) {
    if (!hasTypedText()) session.value = { state: 'unreachable', error };
  }
}

const hasTypedText = (): boolean => session.value.state === 'in' && holdsTypedText();

/** Leads to the login, unless what was typed would be lost: then the page says what happened. */
function end(setup: SetupState): void {
  const { value } = session;
  session.value = value.state === 'in' && hasTypedText() ? { ...value, isOver: true } : { state: 'out', setup };
}

/** `undefined` for an empty user, and after the end of the session. */
async function currentUser(): Promise<User | undefined> {
  try {
    const { user } = (await ask('getCurrentUser')) as { readonly user: User };
    return user.id === '' ? undefined : user;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) return undefined;
    throw error;
  }
}

onSessionEnd(() => {
  if (session.value.state === 'in') end(session.value.setup);
});

/** Asks the server who is logged in, where a page of someone is shown. */
function checkPerson(): void {
  void currentUser().then(
    user => {
      const { value } = session;
      if (value.state !== 'in') return;
      if (user?.id !== value.user.id) void refreshSession();
      else if (value.isOver) session.value = { ...value, isOver: false };
    },
    () => undefined,
  );
}

// Another tab has logged out, or logged in, perhaps as another user.
tabs.addEventListener('message', ({ data: id }: MessageEvent<unknown>) => {
  const { value } = session;
  if (value.state === 'in' && (id !== value.user.id || value.isOver)) checkPerson();
});

// It may have done so while this page was kept in the history, or by a page that is not one of these.
addEventListener('pageshow', event => {
  if (event.persisted) void refreshSession();
});
let seen = Date.now();
addEventListener('focus', () => {
  if (session.value.state !== 'in' || (Date.now() - seen < 60_000 && !session.value.isOver)) return;
  seen = Date.now();
  checkPerson();
});

/** Where people have to go first; `undefined`: anywhere. */
export function entryNeeded(): Entry | undefined {
  const { value } = session;
  if (value.state !== 'out' && value.state !== 'in') return undefined;
  if (value.setup.state === 'not_initialized') return 'new';
  return value.state === 'out' ? 'out' : undefined;
}

/** Ends the session. Only an address of this server, or one that says http, is gone to. */
export function logOut(): void {
  const { value } = session;
  const asked = value.state === 'in' ? value.setup.login_config?.logout_url : undefined;
  history.replaceState(null, '', to());
  const own = new URL('logout?relative', document.baseURI);
  const target = asked === undefined || asked === '' || asked === '/logout' ? own : new URL(asked, document.baseURI);
  location.assign(/^https?:$/.test(target.protocol) ? target.href : own.href);
}

/** Storage ids of the repositories that have been opened. */
const storageIds = new Map<string, string>();

/** For {@link storage}, before anything of the repository is shown. */
export function noteStorage(repository: string, storageId: string | undefined): void {
  storageIds.set(repository, storageId ?? '');
}

/** Of the block store of an open repository, or of the one that is used when none is named. */
export function storage(repository?: string): StorageConfig | undefined {
  if (session.value.state !== 'in') return undefined;
  const { storage_config: usual } = session.value.config;
  const id = repository === undefined ? '' : (storageIds.get(repository) ?? '');
  return id === '' ? usual : (stores().find(store => store.blockstore_id === id) ?? usual);
}

/** Where a server has several block stores, all of them. */
export function stores(): readonly StorageConfig[] {
  return session.value.state === 'in' ? (session.value.config.storage_config_list ?? []) : [];
}
