/** Views of the page itself that parts draw as well. The page lends them; each is loaded when it is drawn. */
import { later } from './lazy.js';
import type { ComponentChildren, ComponentType, VNode } from 'preact';
import type { Page } from '../core/async-data.js';
import type { ShownObject } from '../core/registry.js';

/** One changed path. */
interface Difference {
  readonly type: 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';
  readonly path: string;
  readonly path_type: 'common_prefix' | 'object';
  readonly size_bytes?: number | undefined;
}

/** What is said about changed objects; it is drawn beside what it is about. */
export interface Remarks {
  readonly count: (path: string) => number;
  /** Lines of the text on the right, or rows of the table there, from 1, that something is said about. */
  readonly lines: (path: string) => readonly number[];
  /** @param line `undefined`: about the object. */
  readonly draw: (path: string, line: number | undefined) => ComponentChildren;
  /** Begins to say something about a line. Absent: the user may not. */
  readonly onLine?: ((path: string, line: number) => void) | undefined;
}

/** Props of what is lent. */
interface LentViews {
  /** Source text with numbers and colours. */
  readonly Code: { readonly text: string; readonly language: string; readonly label: string };
  readonly Markdown: {
    readonly text: string;
    readonly repository: string;
    readonly ref_: string;
    /** Of the file: what its links are relative to. Empty: the root. */
    readonly path: string;
    /** Raw HTML is shown as text. */
    readonly noHtml?: boolean;
  };
  /** Rows with columns, to filter and sort. */
  readonly DataTable: {
    readonly columns: readonly { readonly name: string; readonly type?: string; readonly isNumeric?: boolean }[];
    readonly rows: readonly (readonly unknown[])[];
    /** These are all rows there are. */
    readonly whole: boolean;
    readonly total?: number | undefined;
    /** What the rows are; unlike that of any other table of the view. */
    readonly label?: string;
  };
  /** An object as the page shows it. */
  readonly Content: {
    readonly object: ShownObject;
    /** Id of the viewer that asks. */
    readonly without: string;
  };
  /** The differences of two refs, folder by folder. */
  readonly ChangeTree: {
    readonly repository: string;
    /** Refs whose contents are compared. */
    readonly left: string;
    readonly right: string;
    readonly prefix: string;
    /** What the differences are of: another name loads again. */
    readonly name: readonly unknown[];
    /** @param delimiter `/` for the changes of one folder, empty for all below it. */
    readonly load: (prefix: string, after: string, signal: AbortSignal, delimiter: '/' | '') => Promise<Page<Difference>>;
    readonly onPrefix: (prefix: string) => void;
    readonly title: (count: number) => string;
    readonly empty: VNode;
    readonly action?: (change: Difference) => ComponentChildren;
    readonly remarks?: Remarks | undefined;
  };
  /** Settles the conflicts of a merge by commits on its source. */
  readonly ConflictDialog: {
    readonly repository: string;
    readonly source: string;
    readonly destination: string;
    readonly onClose: () => void;
    readonly onDone: () => void;
  };
}

type Loaders = { readonly [name in keyof LentViews]: () => Promise<ComponentType<LentViews[name]>> };

let loaders: Loaders | undefined;

/** Called once, by the page. */
export function lend(views: Loaders): void {
  loaders = views;
}

function borrowed<N extends keyof LentViews>(name: N) {
  return later<LentViews[N]>(() => loaders?.[name]() ?? Promise.reject(new Error(`This page has no ${name}.`)));
}

export const Code = borrowed('Code');
export const Markdown = borrowed('Markdown');
export const DataTable = borrowed('DataTable');
export const Content = borrowed('Content');
export const ChangeTree = borrowed('ChangeTree');
export const ConflictDialog = borrowed('ConflictDialog');
