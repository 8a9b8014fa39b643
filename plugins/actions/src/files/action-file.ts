/** What an action file says, and what is wrong with one. */
import type { EventType } from '@srv/kernel';
import type { HookType } from '@srv/lib-api/hook-types';
import type { Glob } from '@srv/lib-records/glob';

export interface Action {
  readonly name: string;
  readonly on: ReadonlyMap<EventType, EventFilter>;
  readonly hooks: readonly ActionHook[];
}

/** Patterns one of which must match; empty: every name does. */
export interface EventFilter {
  readonly branches: readonly Glob[];
  readonly tags: readonly Glob[];
}

export interface ActionHook {
  readonly id: string;
  readonly type: string;
  /** Empty: no earlier hook of the action has failed. */
  readonly condition: string;
  /** As the type's schema returned them. */
  readonly properties: unknown;
}

export interface FileProblem {
  /** The text clients and operators know. */
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** What to write instead. */
  readonly remedy: string;
}

export type ParsedFile = {
  /** Empty when it could not be read. */
  readonly name: string;
  /** Events of the file as far as they could be read; absent: it may be about any. */
  readonly events?: ReadonlySet<EventType> | undefined;
} & ({ readonly action: Action; readonly problems: readonly [] } | { readonly action?: never; readonly problems: readonly FileProblem[] });

/** Looks up a hook type by its name. */
export type HookTypes = (type: string) => HookType | undefined;
