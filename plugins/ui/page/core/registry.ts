/** What the page consists of beyond its frame. Features of the page and page parts of plugins add to the same lists. */
import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { ShownObject } from '@srv/lib-page';
import type { IconName } from '../parts/icon.js';

export type { ShownObject } from '@srv/lib-page';

/** Where a tab of a repository is shown. */
export interface RepositoryPlace {
  readonly repository: string;
  /** Branch, tag or commit that the address names; the default branch without one. */
  readonly ref: string;
  readonly readOnly: boolean;
  /** Segments of the path after the tab's own. */
  readonly rest: readonly string[];
}

interface Tab {
  /** In addresses. */
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
  /** Position among the tabs; those of the page stand at 10, 20, … Default: 100. */
  readonly order?: number;
  readonly render: (place: RepositoryPlace) => ComponentChild;
}

/** A page of its own, linked in the bar: `/<id>`. */
interface OwnPage {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  /** False: the bar has no link to it. */
  readonly isInBar?: false;
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
  /** `objects`: below the listing; `commit`: below the facts of a commit; `settings`: a section of the settings. */
  readonly place: 'objects' | 'commit' | 'settings';
  readonly render: (place: RepositoryPlace) => ComponentChild;
}

export const tabs = signal<readonly Tab[]>([]);
export const ownPages = signal<readonly OwnPage[]>([]);
export const viewers = signal<readonly Viewer[]>([]);
export const panels = signal<readonly Panel[]>([]);

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
};
