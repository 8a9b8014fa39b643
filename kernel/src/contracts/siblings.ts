/** Other servers that run on this machine as one with this server, and share its port. */
export interface Siblings {
  /** Text that these servers have in common, and no other server has. */
  readonly group: string;
  /** Answers what siblings ask about a topic; one answer per topic. */
  answer(topic: string, answer: (question: unknown) => Promise<unknown>): void;
  /**
   * Asks all of them that serve. Questions and answers are data, as JSON knows them; an answer is not `undefined`.
   * @param patience milliseconds.
   * @throws SrvError `timeout` when one of them has not answered by then.
   */
  ask(topic: string, patience: number, question?: unknown): Promise<readonly unknown[]>;
}
