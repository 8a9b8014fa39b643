/** Failures of work that the person interrupted. Work that nothing waits for any more may throw them late: they are not news then. */
const interruptions = new WeakSet<Error>();

export function markedInterruption(error: Error): Error {
  interruptions.add(error);
  return error;
}

export function isInterruption(error: unknown): boolean {
  return error instanceof Error && interruptions.has(error);
}
