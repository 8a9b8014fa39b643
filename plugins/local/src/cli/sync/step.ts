/** Called before everything that leaves a trace, with what that is. Tests stop there. */
export type Step = (what: string) => Promise<void> | void;
