/**
 * Faults of Node.js itself, which end a process of tests. Node 20 was seen to abort when a thread ended while V8 compiled in the
 * background.
 */
const faults: readonly RegExp[] = [/node_platform\.cc:\d+\s.{0,10}Assertion failed: \(data\.first\) != nullptr/s];

/** What to print of a run that such a fault ended, and that is to be repeated; `undefined` for any other output. */
export function runtimeFault(output: string): string | undefined {
  for (const fault of faults) {
    const [found] = fault.exec(output) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}
