/** What the checks read. */
import type { Import } from './imports.js';
import type { PackageFacts } from './package-facts.js';

/** A source of the workspace. */
export interface Source {
  readonly from: PackageFacts;
  /** Relative to the package's folder, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** The packages, the folders of tools, and every source of both. */
export interface Workspace {
  readonly packages: readonly PackageFacts[];
  readonly tools: readonly PackageFacts[];
  readonly sources: readonly Source[];
}
