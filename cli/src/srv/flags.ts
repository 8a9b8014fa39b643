/** Options every command of `srv` understands. */
export interface SrvFlags {
  readonly config?: string;
  readonly localSettings?: boolean;
  readonly quickstart?: boolean;
  /** Refuse an embedded database that has lost records. */
  readonly strict?: boolean;
}

export interface RunFlags extends SrvFlags {
  /** Servers on this machine; absent: one, in this process. */
  readonly workers?: number;
}
