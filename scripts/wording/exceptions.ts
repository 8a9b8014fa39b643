/** Places where a word of the list is right. */
export interface Exception {
  readonly file: string;
  /** Text of the file around the word. */
  readonly text: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [];

/** Beginnings of paths that are not checked yet. */
export const pending: readonly string[] = [
  'cli/',
  'plugins/doctor/',
  'plugins/hook-lua/',
  'plugins/sql/',
  'plugins/ui/',
  'scripts/',
  'test/',
];
