/** Whether the views are drawn again after a command of the shell beside them. */

interface Surroundings {
  /** Of the page. */
  readonly pathname: string;
  /** A dialog or a form may hold what was typed. */
  readonly hasTypedText: boolean;
}

/** @param changed whether the command may have changed what views show. */
export function redrawsAfter(changed: boolean, { pathname, hasTypedText }: Surroundings): boolean {
  // The page of the shell shows no view; what was typed would be lost.
  return changed && !pathname.endsWith('/shell') && !hasTypedText;
}
