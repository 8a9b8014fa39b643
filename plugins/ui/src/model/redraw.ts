/** Whether the views are drawn again after a command of the shell beside them. */

interface Surroundings {
  /** Of the page. */
  readonly pathname: string;
  /** A dialog is open. */
  readonly hasDialog: boolean;
}

/** @param changed whether the command may have changed what views show. */
export function redrawsAfter(changed: boolean, { pathname, hasDialog }: Surroundings): boolean {
  // The page of the shell shows no view; the text of an open dialog would be lost.
  return changed && !pathname.endsWith('/shell') && !hasDialog;
}
