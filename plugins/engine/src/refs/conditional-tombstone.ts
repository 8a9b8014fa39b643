/** A deletion that depends on what the branch shows. */
import { SrvError, isSrvError } from '@srv/kernel';
import { encodeStaged } from './messages/index.js';
import type { StoredValue } from './contract.js';

export interface ConditionalDeletion {
  readonly key: Buffer;
  readonly condition: (current: StoredValue) => boolean;
}

/** The tombstone of a key, written while what the branch shows there fulfils a condition. */
export class ConditionalTombstone {
  readonly key: Buffer;
  /** Of the last try. */
  refusal: SrvError | undefined;
  readonly #condition: ConditionalDeletion['condition'];
  readonly #bytes: Buffer;
  #isWritten = false;

  constructor({ key, condition }: ConditionalDeletion) {
    this.key = key;
    this.#condition = condition;
    this.#bytes = encodeStaged(key, undefined);
  }

  /**
   * @param replace writes what is decided about the value that it finds, unless it answers `moved`.
   * @returns whether it was decided.
   */
  async write(replace: (decide: (current: StoredValue | undefined) => Buffer) => Promise<string>): Promise<boolean> {
    this.refusal = undefined;
    try {
      if ((await replace(current => this.#decide(current))) === 'moved') return false;
      this.#isWritten = true;
    } catch (error) {
      if (!isSrvError(error, 'precondition_failed', 'not_found')) throw error;
      this.refusal = error;
    }
    return true;
  }

  #decide(current: StoredValue | undefined): Buffer {
    // Gone by an earlier try of this very call, whose branch had moved on.
    if (current === undefined && this.#isWritten) return this.#bytes;
    const details = { path: this.key.toString('utf8') };
    if (current === undefined) throw new SrvError('not_found', `${details.path}: not found`, { details });
    if (!this.#condition(current)) throw new SrvError('precondition_failed', 'Precondition failed', { details });
    return this.#bytes;
  }
}
