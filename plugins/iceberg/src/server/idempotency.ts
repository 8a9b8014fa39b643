/**
 * Requests that clients repeat with the same `Idempotency-Key`: the second one gets the answer to the first. Successes and final
 * refusals are remembered for half an hour, for all servers of a database; what may not have happened is tried again.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { absent, messageOf } from '@srv/kernel';
import { persistently } from '@srv/lib-records';
import { CatalogError, isCatalogError } from './errors.js';
import { RequestSweeper } from './request-sweeper.js';
import type { HttpResponse } from '@srv/http/contract';
import type { KvStore, Logger } from '@srv/kernel';
import type { ErrorType } from './errors.js';

/** As clients learn it from the configuration. */
export const keyLifetime = 'PT30M';

/** Milliseconds. */
const life = 30 * 60_000;
/** Milliseconds after which a request counts as ended with its server. */
const longestRequest = 5 * 60_000;
/** Milliseconds that a repeated request waits for the first one. */
const patience = 30_000;
const pause = 50;
/** Bytes of the largest record, which every database takes; longer answers are not remembered. */
const maxRecord = 300_000;

export const partition = 'iceberg-requests';

interface Remembered {
  /** Of the request: its caller, method, path and body. */
  readonly request: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Absent: the request has not ended. Sealed, for answers hold credentials. */
  readonly sealed?: string;
}

type Outcome =
  | { readonly answer: HttpResponse }
  | { readonly refusal: { readonly status: number; readonly type: ErrorType; readonly message: string } };

/** What a request that is under way has stored under its key. */
interface Claim {
  readonly name: Buffer;
  readonly request: string;
  readonly stored: Buffer;
}

interface AskedRequest {
  /** Of the caller. */
  readonly user: string;
  /** The header. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];
const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);
const maxAnswer = 64 << 20;

export class IdempotentRequests {
  readonly #kv: KvStore;
  readonly #sealing: Buffer;
  readonly #sweeper: RequestSweeper;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #stop = new AbortController();
  /** Outcomes that could not be stored at once. */
  readonly #storing = new Set<Promise<void>>();

  /** @param secret of the installation. */
  constructor(kv: KvStore, secret: string, log: Pick<Logger, 'warn'>) {
    this.#kv = kv;
    this.#log = log;
    this.#sweeper = new RequestSweeper({ kv, partition, log, isOver: value => Date.now() - decoded(value).at > life });
    this.#sealing = Buffer.from(hkdfSync('sha256', secret, '', 'iceberg idempotency', 32));
  }

  /** @throws CatalogError 400 for a key that is not a UUID, 422 for one of another request, and what `work` throws. */
  async run({ user, key, method, url, body }: AskedRequest, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key))
      throw new CatalogError(400, 'BadRequestException', 'Idempotency-Key is not a UUID');
    const name = createHash('sha256').update(`${user}\n${key.toLowerCase()}`).digest();
    const request = createHash('sha256').update(`${method} ${url}\n${body}`).digest('base64');
    const begun = await this.#begin(name, request);
    return 'answer' in begun ? begun.answer : this.#carryOut(begun, work);
  }

  /** @returns the answer to the first request, or the claim of this one, which is the first. */
  async #begin(name: Buffer, request: string): Promise<Claim | { readonly answer: HttpResponse }> {
    this.#sweeper.sweepIfDue();
    for (const since = performance.now(); ; ) {
      const found = await this.#kv.get(partition, name);
      const record = found && decoded(found.value);
      const isOver = !record || Date.now() - record.at > (record.sealed === undefined ? longestRequest : life);
      if (isOver) {
        const stored = encoded({ request, at: Date.now() });
        if (await this.#kv.setIf(partition, name, stored, found?.predicate ?? absent)) return { name, request, stored };
        continue;
      }
      if (record.request !== request)
        throw new CatalogError(422, 'UnprocessableEntityException', 'the Idempotency-Key was used for another request; make a new one');
      if (record.sealed !== undefined) return { answer: replayed(await this.#open(record.sealed)) };
      if (performance.now() - since > patience)
        throw new CatalogError(
          503,
          'ServiceUnavailableException',
          'the first request with this Idempotency-Key has not ended yet; repeat it later',
        );
      await sleep(pause);
    }
  }

  async #carryOut(claim: Claim, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    let answer: HttpResponse;
    try {
      answer = await work();
    } catch (error) {
      if (isCatalogError(error) && error.status < 500) {
        const { status, type, message } = error;
        await this.#end(claim, { refusal: { status, type, message } });
      } else await this.#end(claim, undefined);
      throw error;
    }
    await this.#end(claim, { answer });
    return answer;
  }

  /**
   * Stores how a request has ended. A fault of the database does not change its answer: storing is tried again in the background, and
   * the claim stays until then.
   */
  async #end(claim: Claim, outcome: Outcome | undefined): Promise<void> {
    const store = async (): Promise<void> => this.#replace(claim, await this.#recordOf(claim, outcome));
    try {
      await store();
    } catch (error) {
      this.#log.warn({ error: messageOf(error) }, 'the outcome of a request was not stored; it will be tried again');
      // Later, another request may take the key.
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(longestRequest)]);
      const storing = persistently(store, { signal, log: this.#log, what: { subject: 'request with an Idempotency-Key' } })
        .catch((late: unknown) =>
          this.#log.warn({ error: messageOf(late) }, 'the outcome of a request was not stored; a repeated request is carried out again'),
        )
        .finally(() => this.#storing.delete(storing));
      this.#storing.add(storing);
    }
  }

  /** Without an outcome, or with a large one, the request counts as over: the next one with the key is carried out. */
  async #recordOf({ request }: Claim, outcome: Outcome | undefined): Promise<Buffer> {
    const record = outcome && encoded({ request, at: Date.now(), sealed: await this.#seal(outcome) });
    return record && record.length <= maxRecord ? record : encoded({ request, at: 0 });
  }

  /** Does nothing when the claim is gone: the request took so long that another one has taken the key. */
  async #replace({ name, stored }: Claim, record: Buffer): Promise<void> {
    const found = await this.#kv.get(partition, name);
    if (found?.value.equals(stored)) await this.#kv.setIf(partition, name, record, found.predicate);
  }

  async #seal(outcome: Outcome): Promise<string> {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#sealing, nonce);
    const packed = await pack(Buffer.from(JSON.stringify(outcome)));
    const sealed = Buffer.concat([cipher.update(packed), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  async #open(sealed: string): Promise<Outcome> {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(algorithm, this.#sealing, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const packed = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return JSON.parse((await unpack(packed, { maxOutputLength: maxAnswer })).toString('utf8')) as Outcome;
  }

  /** Ends the removal of old records, and stores what is not stored yet, in one last attempt. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#sweeper.stop(), ...this.#storing]);
  }
}

function replayed(outcome: Outcome): HttpResponse {
  if ('answer' in outcome) return outcome.answer;
  const { status, type, message } = outcome.refusal;
  throw new CatalogError(status, type, message);
}

function encoded(record: Remembered): Buffer {
  return Buffer.from(JSON.stringify(record));
}

function decoded(value: Buffer): Remembered {
  return JSON.parse(value.toString('utf8')) as Remembered;
}
