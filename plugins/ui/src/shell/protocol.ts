/** Messages between the page and the worker with the shell. */

/** A command of a plugin: bundled with the page, or in a file of its own. */
export interface ShellPart {
  readonly plugin: string;
  /** Below `assets`; absent: the page's own build has it. */
  readonly file?: string;
}

/** What the worker has to know of the server; it cannot see the document. */
export interface ShellBoot {
  readonly version: string;
  readonly operations: Readonly<Record<string, readonly unknown[]>>;
  /** Address of the page's root. */
  readonly base: string;
  readonly parts: readonly ShellPart[];
  /** First words of commands that run in `cli` only, with their plugins. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** Where the shell is; absent: nowhere. */
  readonly place?: string;
}

/** Where rows come from: the addresses that the command was given. */
export interface Origin {
  readonly repository: string;
  readonly ref?: string;
}

export type Tone = 'plain' | 'note' | 'error';

/** What a line makes, as it comes. */
export type ShellEvent =
  | { readonly kind: 'text'; readonly text: string; readonly tone: Tone }
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly origin?: Origin }
  /** Shows an address in the page. */
  | { readonly kind: 'open'; readonly uri: string }
  | { readonly kind: 'leave' };

export type ToWorker =
  | { readonly kind: 'start'; readonly boot: ShellBoot }
  | { readonly kind: 'run'; readonly id: number; readonly line: string }
  | { readonly kind: 'complete'; readonly id: number; readonly line: string }
  | { readonly kind: 'answer'; readonly agreed: boolean }
  | { readonly kind: 'place'; readonly uri: string }
  | { readonly kind: 'stop' };

export type FromWorker =
  | { readonly kind: 'ready'; readonly problems: readonly string[] }
  | { readonly kind: 'event'; readonly id: number; readonly event: ShellEvent }
  | { readonly kind: 'done'; readonly id: number; readonly failed: boolean; readonly changed: boolean; readonly place: string }
  | { readonly kind: 'completed'; readonly id: number; readonly candidates: readonly string[]; readonly partial: string }
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'moved'; readonly place: string }
  | { readonly kind: 'session-over' };
