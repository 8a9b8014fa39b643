/** What a plugin adds to the web page, as data: the page reads it with the document, and loads the code of a view when it is drawn. */
import type { IconName } from './icon-name.js';

/** Path of the module whose default export is the component, from the folder `page`: `./pulls.tsx`. */
type ViewModule = string;

interface Described {
  /** In addresses; one that exists is replaced. */
  readonly id: string;
  readonly title: string;
  /** Position among others; the page's own are at 10, 20, … Default: 100. */
  readonly order?: number;
}

/** A tab of every repository. Its view gets a `RepositoryPlace`. */
interface DescribedTab extends Described {
  readonly icon?: IconName;
  /** Letter that opens the tab after `g`. */
  readonly key?: string;
  readonly view: ViewModule;
}

/** A page at `/<id>`. Its view gets `rest`, the segments of the address after the id. */
interface DescribedPage extends Described {
  /** False: the bar has no link to it. */
  readonly isInBar?: false;
  readonly entry?: Entry;
  readonly view: ViewModule;
}

/**
 * Whom the page sends to this address before anything else, and shows it without the bar: `new` while the server waits for
 * its first administrator, `out` who is not logged in.
 */
export type Entry = 'new' | 'out';

/** Shows objects. Its view gets `object`, a `ShownObject`. */
interface DescribedViewer extends Described {
  readonly fits: {
    /** Lower case, without dots. */
    readonly extensions: readonly string[];
    readonly contentTypes: readonly string[];
    /** How well; the best one is shown first. Those of the page have 1 to 10. */
    readonly rank: number;
  };
  readonly view: ViewModule;
}

/** Compares two versions of a table that is large for a browser. Its view gets `ComparisonProps`. */
interface DescribedComparison extends Described {
  /** Lower case, without dots. */
  readonly extensions: readonly string[];
  readonly view: ViewModule;
}

/** `objects`: below the listing; `commit`: below the facts of a commit; `settings`: a section of the settings. */
export type PanelPlace = 'objects' | 'commit' | 'settings';

/** A box beside what is there. Its view gets a `RepositoryPlace`. */
interface DescribedPanel extends Described {
  readonly place: PanelPlace;
  readonly view: ViewModule;
}

/** `objects`: beside *Upload*; `compare`: beside *Merge*; `commit`: below the facts of a commit; `branch`: in the menu of a branch. */
export type ActionPlace = 'objects' | 'compare' | 'commit' | 'branch';

/** A button or a row of a menu. */
interface DescribedAction extends Described {
  readonly place: ActionPlace;
  readonly icon: IconName;
  /** Where it leads, below the page's root: `repositories/{repository}/pulls`. Names in braces are filled in. */
  readonly href?: string;
  /** What it opens, at `objects` only: a dialog, which gets `ActionDialogProps`. */
  readonly dialog?: ViewModule;
  /** Member of the store's configuration without which it is off, and why. */
  readonly needs?: { readonly storage: string; readonly otherwise: string };
}

export interface PageDescription {
  readonly tabs?: readonly DescribedTab[] | undefined;
  readonly pages?: readonly DescribedPage[] | undefined;
  readonly viewers?: readonly DescribedViewer[] | undefined;
  readonly panels?: readonly DescribedPanel[] | undefined;
  readonly actions?: readonly DescribedAction[] | undefined;
  /** Modules whose default export is a `BranchGuard`: whether a branch can be changed directly. */
  readonly guards?: readonly ViewModule[] | undefined;
  /** Modules whose default export is a `Finder`: what the palette finds in a repository. */
  readonly finders?: readonly ViewModule[] | undefined;
  readonly comparisons?: readonly DescribedComparison[] | undefined;
  /** Views drawn above the message of a refused change; they get `RefusalProps`. */
  readonly refusals?: readonly { readonly status: number; readonly view: ViewModule }[] | undefined;
}

/** A description as it is built: modules are names of files in the folder `assets` beside it. */
export interface BuiltDescription extends PageDescription {
  /** Style sheets that a file needs, by its name. */
  readonly styles?: Readonly<Record<string, readonly string[]>>;
}
