/** Places where a word of the list is right. */
export interface Exception {
  readonly file: string;
  /** Text of the file around the word. */
  readonly text: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    file: 'plugins/ui/page/views/refs/branch-standing.tsx',
    text: 'behind`',
    reason: 'branches are ahead and behind, in the words of the field',
  },
  { file: 'plugins/ui/test/commits.long.test.ts', text: '1 behind', reason: 'branches are ahead and behind, in the words of the field' },
  { file: 'plugins/doctor/test/server.long.test.ts', text: "10s behind this machine's", reason: 'a clock can be behind another one' },
];
