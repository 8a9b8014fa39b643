/** Runs statements on a pool of connections, and survives what happens to connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { backOffMs, orAborted } from '@srv/lib-stores/kv';
import { LostConnection, explain, isConflict, isLost, isSilence } from './errors.js';
import type { Pool, PoolClient, QueryArrayResult } from 'pg';
import type { Effect } from './errors.js';
import type { Statement } from './statements.js';

type Values = readonly (Buffer | number | readonly Buffer[])[];
type Answer = QueryArrayResult<Buffer[]>;

interface Written {
  readonly count: number;
  readonly rows: readonly (readonly Buffer[])[];
}

/** A statement that the server undid because of others at the same time is sent again so often. */
const maxTries = 6;
const conflictPause = { firstMs: 20, longestMs: 320 };

export class Connections {
  readonly #pool: Pool;
  readonly #place: string;
  readonly #abandonedFor: number;
  readonly #used = new WeakSet<PoolClient>();

  /**
   * @param place host, port and database, for messages.
   * @param abandonedFor milliseconds that an abandoned statement may hold its connection.
   */
  constructor(pool: Pool, place: string, abandonedFor = 5_000) {
    this.#pool = pool;
    this.#place = place;
    this.#abandonedFor = abandonedFor;
  }

  /**
   * A statement without effect: when its connection is lost, it is sent again on another, until it had one that was
   * fresh; not when its answer did not come in time. Aborting ends it at once.
   */
  async read(statement: Statement, values: Values, signal?: AbortSignal): Promise<Buffer[][]> {
    const answer = await this.#guarded(signal, async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#run(statement, values, 'read', signal);
        } catch (error) {
          const again = error instanceof LostConnection && !isSilence(error) && (tries === 1 || !error.fresh);
          if (!again) throw error;
        }
      }
    });
    return answer.rows;
  }

  /**
   * A statement with effect. It is not sent again when its connection is lost, since it may have happened; for the same
   * reason aborting does not end one that was sent.
   * @returns how many records were written, and what the statement returns about them.
   */
  async write(statement: Statement, values: Values, signal?: AbortSignal): Promise<Written> {
    const { rowCount, rows } = await this.#guarded(signal, () => this.#run(statement, values, 'write', signal));
    return { count: rowCount ?? 0, rows };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #guarded(signal: AbortSignal | undefined, run: () => Promise<Answer>): Promise<Answer> {
    throwIfAborted(signal);
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await run();
        } catch (error) {
          if (!isConflict(error) || tries === maxTries) throw error;
          await sleep(backOffMs(tries, conflictPause));
          throwIfAborted(signal);
        }
      }
    } catch (error) {
      throw explain(error, this.#place);
    }
  }

  async #run(statement: Statement, values: Values, effect: Effect, signal?: AbortSignal): Promise<Answer> {
    const client = await this.#acquire(signal);
    const fresh = !this.#used.has(client);
    this.#used.add(client);
    let released = false;
    const release = (broken: boolean): void => {
      if (!released) client.release(broken);
      released = true;
    };
    const answer = client.query<Buffer[]>({ values: [...values], ...statement }).then(
      result => {
        release(false);
        return result;
      },
      (error: unknown) => {
        // A connection that was given up here was not lost.
        if (released) throwIfAborted(signal);
        release(isLost(error));
        throw isLost(error) ? new LostConnection(error, effect, fresh) : error;
      },
    );
    return signal ? this.#abandonable(answer, signal, effect, () => release(true)) : answer;
  }

  /** A request that is aborted while it waits in line gives the connection back when its turn comes. */
  async #acquire(signal: AbortSignal | undefined): Promise<PoolClient> {
    const acquired = this.#pool.connect();
    try {
      return await orAborted(acquired, signal);
    } catch (error) {
      if (signal?.aborted)
        acquired.then(
          client => client.release(),
          () => undefined,
        );
      throw error;
    }
  }

  /** Lets an aborted statement finish for a while, so that its connection can be used again; then gives both up. */
  #abandonable(answer: Promise<Answer>, signal: AbortSignal, effect: Effect, giveUp: () => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const abandon = (): void => {
        timer = setTimeout(giveUp, this.#abandonedFor);
        if (effect === 'read') reject(cancelled(signal));
      };
      signal.addEventListener('abort', abandon, { once: true });
      if (signal.aborted) abandon();
      answer
        .finally(() => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abandon);
        })
        .then(resolve, reject);
    });
  }
}

function cancelled(signal: AbortSignal): SrvError {
  return new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason });
}
