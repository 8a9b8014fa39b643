/** What scripts may use. */

export interface ScriptLimits {
  /** Bytes of memory of the engine: tables, strings and code of the script. */
  readonly memory: number;
  /** Bytes of an object or an answer that is read whole. */
  readonly body: number;
  /** Milliseconds that a script may compute, waiting left out. */
  readonly computing: number;
  /** Milliseconds from the start of the hook to its end, unless the hook has a `timeout`. */
  readonly total: number;
  /** Scripts that run at the same time; a script that waits for an answer of this server is not counted. */
  readonly threads: number;
  /** Of them, scripts of one repository. */
  readonly perRepository: number;
  /** Further scripts, each the only one of its repository: those of others do not keep it waiting. */
  readonly reserve: number;
  /** Scripts that run inside of one another: a hook that creates a tag runs the hooks of tags. */
  readonly depth: number;
}

export const defaultLimits: ScriptLimits = {
  memory: 256 << 20,
  body: 100 << 20,
  computing: 60_000,
  total: 30 * 60_000,
  threads: 4,
  perRepository: 2,
  reserve: 2,
  depth: 3,
};
