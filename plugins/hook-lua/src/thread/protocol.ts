/** Messages between the server and the thread of a script. */

/** Places in the memory both share. */
export const shared = {
  /** 1 when the reply to the pending call has been posted. */
  replied: 0,
  /** 1 while the script waits rather than computes. */
  waiting: 1,
  /** Bytes of output that the server has not taken yet. */
  outstanding: 2,
} as const;
export const sharedBytes = 4 * Object.keys(shared).length;

/** One script to run. Objects hold JSON. */
export interface Job {
  readonly script: Uint8Array;
  readonly action: object;
  readonly args: unknown;
  readonly username: string;
  readonly netHttp: boolean;
}

export interface ThreadData {
  readonly memory: SharedArrayBuffer;
  /** Bytes for the engine. */
  readonly maxMemory: number;
  /** Bytes of an object or an answer that a script reads whole. */
  readonly maxBody: number;
}

/** A call of the repository API. */
export interface ApiCall {
  readonly operation: string;
  /** Parameters of path and query by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** On behalf of a user other than the one who sent the request. */
  readonly as?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** From the thread. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  /** The script loads a module of hooks. */
  | { readonly kind: 'module'; readonly name: string }
  | ({ readonly kind: 'call' } & ApiCall)
  | { readonly kind: 'done'; readonly failure?: string };

/** Reply to a call: a response of the API, or the failure. */
export type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly body?: Uint8Array }
  | { readonly kind: 'failure'; readonly message: string };
