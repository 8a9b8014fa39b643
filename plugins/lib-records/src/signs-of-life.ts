/** Signs of life of servers: what a server works on counts as abandoned once its signs stop. */
import { messageOf } from '@srv/kernel';
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from './protobuf/index.js';
import { StillWatch } from './still-watch.js';
import type { KvStore, Logger } from '@srv/kernel';

interface SignsOfLifeOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  readonly partition: string;
  /** Of this server, among all that use the database. */
  readonly instance: string;
  /** Of the signs of others. Default: by the clock of this process. */
  readonly watch?: StillWatch;
}

/** Milliseconds between two signs of a server with work under way. */
const period = 5000;
/** Milliseconds without a sign after which a server counts as gone. */
export const signExpiry = 30_000;
/** Milliseconds; no clocks of two servers differ by more. */
const largestDifference = 86_400_000;

export class SignsOfLife {
  readonly #options: SignsOfLifeOptions;
  readonly #watch: StillWatch;
  #timer: NodeJS.Timeout | undefined;
  /** Pieces of work. */
  #underWay = 0;
  /** Milliseconds since 1970 of the last sign. */
  #last = 0;

  constructor(options: SignsOfLifeOptions) {
    this.#options = options;
    this.#watch = options.watch ?? new StillWatch();
  }

  /**
   * A piece of work begins, and lasts until {@link end}: gives a sign unless one is fresh, and one every few seconds.
   * @throws when the sign cannot be stored: then nothing has begun.
   */
  async begin(): Promise<void> {
    // Counted first: what ends meanwhile must not end the signs of this one.
    this.#underWay++;
    try {
      if (Date.now() - this.#last > period / 2) await this.#give();
    } catch (error) {
      this.end();
      throw error;
    }
    this.#timer ??= setInterval(() => {
      this.#give().catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'cannot store a sign of life'));
    }, period).unref();
  }

  /** One piece of work has ended. */
  end(): void {
    this.#underWay--;
    if (this.#underWay === 0) this.#rest();
  }

  /** The server stops. Its sign stays while work is under way that others have to take over. */
  async stop(): Promise<void> {
    this.#rest();
    if (this.#underWay === 0) await this.forget().catch(() => undefined);
  }

  /**
   * Whether another server has given no sign for {@link signExpiry} since this one first saw its last one, or for longer than clocks differ, or
   * none at all. If no other process can use the database, all others are gone.
   */
  async isGone(instance: string): Promise<boolean> {
    const { kv, partition, instance: own } = this.#options;
    if (instance === own) return false;
    if (!kv.isShared) return true;
    const found = await kv.get(partition, signKey(instance));
    const last = found ? decodeSign(found.value).getTime() : 0;
    return Date.now() - last > largestDifference || this.#watch.stillFor(instance, String(last)) >= signExpiry;
  }

  /** Removes the sign of a server that is gone, or of this one when it stops. */
  async forget(instance = this.#options.instance): Promise<void> {
    this.#watch.forget(instance);
    await this.#options.kv.delete(this.#options.partition, signKey(instance));
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #give(): Promise<void> {
    const now = new Date();
    const sign = new ProtoWriter().timestamp(1, timestampOf(now)).finish();
    await this.#options.kv.set(this.#options.partition, signKey(this.#options.instance), sign);
    this.#last = now.getTime();
  }
}

const signPrefix = 'instances/';

function signKey(instance: string): Buffer {
  return Buffer.from(signPrefix + instance);
}

/** Whether a record of a partition is a sign of life. @param key as text. */
export function isSign(key: string): boolean {
  return key.startsWith(signPrefix);
}

/** When it was given. @throws SrvError `corrupt`. */
export function decodeSign(bytes: Buffer): Date {
  for (const { field, bytes: value } of readFields(bytes, 'sign of life'))
    if (field === 1) return dateOf(readTimestamp(value, 'sign of life'));
  return new Date(0);
}
