/** What the page consists of beyond its frame. The page itself and page parts of plugins add to the same lists. */
import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { ActionPlace, Entry, PanelPlace } from '../../src/description.js';
import type { IconName } from '../../src/icon-name.js';
import type { ShownObject } from '../../src/shown-object.js';

export type { ShownObject } from '../../src/shown-object.js';

/** Where a tab of a repository is shown. */
export interface RepositoryPlace {
  readonly repository: string;
  /** Branch, tag or commit that the address names; the default branch without one. */
  readonly ref: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
  /** Segments of the path after the tab's own. */
  readonly rest: readonly string[];
}

interface Tab {
  /** In addresses. */
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
  /** Position among the tabs; those of the page are at 10, 20, … Default: 100. */
  readonly order?: number;
  /** Letter that opens the tab after `g`. */
  readonly key?: string;
  readonly render: (place: RepositoryPlace) => ComponentChild;
}

/** A page of its own, linked in the bar: `/<id>`. */
interface OwnPage {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  /** False: the bar has no link to it. */
  readonly isInBar?: false;
  /** Shown alone, to those whom the page sends here first. */
  readonly entry?: Entry;
  readonly render: (rest: readonly string[]) => ComponentChild;
}

export interface Viewer {
  readonly id: string;
  readonly title: string;
  /** How well the viewer fits; 0: not at all. The best one is shown first. Those of the page answer 1 to 10. */
  readonly fits: (object: ShownObject) => number;
  readonly render: (object: ShownObject) => ComponentChild;
}

/** A box beside what is there. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  readonly place: PanelPlace;
  readonly render: (place: RepositoryPlace) => ComponentChild;
}

/** What a dialog of an action at `objects` gets. */
export interface ActionDialogProps {
  readonly repository: string;
  readonly branch: string;
  /** Empty, or with a trailing slash. */
  readonly folder: string;
  /** @param changed whether the listing has to be loaded again. */
  readonly onClose: (changed: boolean) => void;
}

/** A button, or a row of a menu. */
export interface Action {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  readonly place: ActionPlace;
  readonly icon: IconName;
  /** Why it cannot be used on this server. */
  readonly off?: (at: Readonly<Record<string, string>>) => string | undefined;
  /** Address below the root. @param at what the place is about: repository, ref, commit, … */
  readonly href?: (at: Readonly<Record<string, string>>) => string;
  readonly dialog?: (props: ActionDialogProps) => ComponentChild;
}

/** A branch that cannot be changed directly. */
export interface GuardedBranch {
  /** Short, such as “Protected”. */
  readonly badge: string;
  /** By what. */
  readonly detail: string;
  /** Why controls are off, and what can be done instead. */
  readonly reason: string;
}

/** @returns `undefined` for a branch that can be changed. */
export type BranchGuard = (repository: string, branch: string, signal: AbortSignal) => Promise<GuardedBranch | undefined>;

/** What the palette leads to. */
export interface Target {
  readonly text: string;
  /** What it is found by, if not by its text. */
  readonly also?: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly href: string;
}

/** @returns what fits a text in a repository, best first. */
export type Finder = (
  at: { readonly repository: string; readonly ref: string; readonly text: string },
  signal: AbortSignal,
) => Promise<readonly Target[]>;

/** What is said about lines or rows of one object, by their numbers from 1 in its newer version. */
export interface LineRemarks {
  readonly lines: readonly number[];
  readonly draw: (line: number) => ComponentChild;
  /** Absent: nothing can be said. */
  readonly onLine: ((line: number) => void) | undefined;
}

/** What a comparison is of. */
export interface ComparisonProps {
  readonly repository: string;
  /** Ref expressions. */
  readonly left: string;
  readonly right: string;
  readonly path: string;
  /** What is said about rows; the page shows it below. */
  readonly remarks?: LineRemarks | undefined;
}

interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  /** Lower case, without dots. */
  readonly extensions: readonly string[];
  readonly render: (props: ComparisonProps) => ComponentChild;
}

export interface RefusalProps {
  readonly repository: string;
  /** What the server said. */
  readonly message: string;
}

/** Says more about a refused change, above the server's message. */
interface RefusalNote {
  readonly id: string;
  /** HTTP status of the refusals it is for. */
  readonly status: number;
  readonly render: (props: RefusalProps) => ComponentChild;
}

export const tabs = signal<readonly Tab[]>([]);
export const ownPages = signal<readonly OwnPage[]>([]);
export const viewers = signal<readonly Viewer[]>([]);
export const panels = signal<readonly Panel[]>([]);
export const actions = signal<readonly Action[]>([]);
export const guards = signal<readonly { readonly id: string; readonly check: BranchGuard }[]>([]);
export const finders = signal<readonly { readonly id: string; readonly find: Finder }[]>([]);
export const comparisons = signal<readonly Comparison[]>([]);
export const refusalNotes = signal<readonly RefusalNote[]>([]);

const byOrder = (a: { readonly order?: number }, b: { readonly order?: number }): number => (a.order ?? 100) - (b.order ?? 100);

/** An id that is there already is replaced: a plugin can put its own in place of one. */
function put<T extends { readonly id: string; readonly order?: number }>(list: readonly T[], item: T): readonly T[] {
  return [...list.filter(({ id }) => id !== item.id), item].sort(byOrder);
}

export const registry = {
  tab(tab: Tab): void {
    tabs.value = put(tabs.value, tab);
  },
  page(page: OwnPage): void {
    ownPages.value = put(ownPages.value, page);
  },
  viewer(viewer: Viewer): void {
    viewers.value = put(viewers.value, viewer);
  },
  panel(panel: Panel): void {
    panels.value = put(panels.value, panel);
  },
  action(action: Action): void {
    actions.value = put(actions.value, action);
  },
  guard(id: string, check: BranchGuard): void {
    guards.value = put(guards.value, { id, check });
  },
  finder(id: string, find: Finder): void {
    finders.value = put(finders.value, { id, find });
  },
  comparison(comparison: Comparison): void {
    comparisons.value = put(comparisons.value, comparison);
  },
  refusalNote(note: RefusalNote): void {
    refusalNotes.value = put(refusalNotes.value, note);
  },
};
