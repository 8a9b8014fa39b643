/** The reasons in the message of a change that hooks refused: a line for each hook that failed. */

export interface HookReason {
  readonly action: string;
  readonly hook: string;
  readonly reason: string;
}

const [start, middle, end] = ["failed on action '", "' hook '", "': "];

export function reasonsIn(message: string): readonly HookReason[] {
  return message.split('\n').flatMap(line => {
    const at = line.indexOf(start);
    const hookAt = line.indexOf(middle, at + start.length);
    const reasonAt = line.indexOf(end, hookAt + middle.length);
    if (!line.startsWith('\t* ') || at < 0 || hookAt < 0 || reasonAt < 0) return [];
    const reason = line.slice(reasonAt + end.length).trim();
    if (reason === '') return [];
    return [{ action: line.slice(at + start.length, hookAt), hook: line.slice(hookAt + middle.length, reasonAt), reason }];
  });
}
