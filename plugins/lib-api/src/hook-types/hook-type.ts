/** Hook types of action files: what a plugin offers to be one. Rules: the actions sheet, sections 2, 4 and 6 to 8. */
import type { EventRecord, ServiceRegistry } from '@srv/kernel';

/**
 * A hook type. A plugin offers one by tapping its name:
 * `kernel.hooks.hookType.for('chat').tap('hook-chat', () => chatHook)`.
 */
export interface HookType<P = unknown> {
  /**
   * Checks `properties` of a hook when its file is loaded: a joi schema, or anything with its `validate`. Environment
   * variables are not yet filled in. What it returns as `value` is what `run` gets.
   */
  readonly properties: HookProperties<P>;
  /** Runs one hook. A rejection fails the hook; its message is what users see after `action failed: `. */
  run(request: HookRequest<P>): Promise<void>;
}

export interface HookProperties<P> {
  validate(properties: unknown): { readonly error?: { readonly message: string } | undefined; readonly value?: P };
}

/** One hook of one event, about to run. */
export interface HookRequest<P = unknown> {
  /** `name` of the action file. */
  readonly action: string;
  /** `id` of the hook. */
  readonly hookId: string;
  /** `<index of the action>_<index of the hook>`, four digits each. */
  readonly hookRunId: string;
  readonly properties: P;
  readonly event: EventRecord;
  /** The event as receivers outside get it. */
  readonly payload: EventPayload;
  readonly env: HookEnvironment;
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  /**
   * Appends to the output of the hook, which users can read while it runs. Values that {@link HookEnvironment} filled in
   * are masked, within one call; output beyond a bound is dropped.
   */
  log(text: string | Uint8Array): void;
  /** Aborted when the caller no longer waits for the result, or when the server stops. */
  readonly signal: AbortSignal;
}

/** Environment variables that action files may use (`actions.env.*`). */
export interface HookEnvironment {
  /**
   * Replaces every `{{ ENV.NAME }}` of a text. Variables out of reach are the empty string.
   * @returns the text, and whether it is a secret because at least one variable was named.
   * @throws SrvError `invalid`: `NAME not found: missing env var`.
   */
  fill(text: string): { readonly text: string; readonly secret: boolean };
  /** The same for every string of a structure of arrays and objects, as deep as it goes; keys stay as they are. */
  fillAll<T>(value: T): T;
}

/** JSON that receivers of an event get, keys in this order; empty ones are left out. */
export interface EventPayload {
  readonly event_type: string;
  /** RFC 3339 in whole seconds, UTC. */
  readonly event_time: string;
  readonly action_name: string;
  readonly hook_id: string;
  readonly repository_id: string;
  readonly branch_id?: string;
  readonly source_ref?: string;
  readonly tag_id?: string;
  readonly commit_id?: string;
  readonly commit_message?: string;
  readonly committer?: string;
  readonly commit_metadata?: Readonly<Record<string, string>>;
  readonly merge_source?: string;
  /** Tables of the catalog that a commit, merge, revert or cherry-pick changes, 1000 at most. */
  readonly tables?: readonly { readonly name: string; readonly change: 'added' | 'removed' | 'changed' }[];
  readonly pull_request?: PullRequestPayload;
}

/** What an event of a pull request is about. */
export interface PullRequestPayload {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly source_branch: string;
  readonly destination_branch: string;
  /** Whose change it is. */
  readonly user?: string;
  readonly comment_id?: string;
  /** Who is asked for a review. */
  readonly reviewer?: string;
}

type AnyHookType = HookType;

declare module '@srv/kernel' {
  interface ActionHook extends AnyHookType {}
}
