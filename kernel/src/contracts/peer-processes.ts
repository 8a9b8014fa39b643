/** Other processes of this server on this machine, which share its port. */
export interface PeerProcesses {
  /** Text that the processes of this server have in common, and no other server has. */
  readonly group: string;
  /** Answers requests of peers about a topic; one handler per topic. */
  handle(topic: string, handler: (question: unknown) => Promise<unknown>): void;
  /**
   * Sends a request to every peer that serves. Questions and answers are JSON data; an answer is never `undefined`.
   * @param timeoutMs milliseconds.
   * @throws SrvError `timeout` when a peer has not answered by then.
   */
  request(topic: string, timeoutMs: number, question?: unknown): Promise<readonly unknown[]>;
}
