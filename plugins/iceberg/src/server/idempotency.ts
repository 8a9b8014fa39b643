/**
 * Requests that clients repeat with the same `Idempotency-Key`: the second one gets the answer to the first. Successes and final
 * refusals are remembered for half an hour, for all servers of a database; what may not have happened is tried again.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { absent } from '@srv/kernel';
import { CatalogError, isCatalogError } from './errors.js';
import { RequestSweeper } from './request-sweeper.js';
import type { HttpResponse } from '@srv/http/contract';
import type { KvStore, Logger, Predicate } from '@srv/kernel';
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

  /** @param secret of the installation. */
  constructor(kv: KvStore, secret: string, log: Pick<Logger, 'warn'>) {
    this.#kv = kv;
    this.#sweeper = new RequestSweeper({ kv, partition, log, isOver: value => Date.now() - decoded(value).at > life });
    this.#sealing = Buffer.from(hkdfSync('sha256', secret, '', 'iceberg idempotency', 32));
  }

  /** @throws CatalogError 400 for a key that is not a UUID, 422 for one of another request, and what `work` throws. */
  async run({ user, key, method, url, body }: AskedRequest, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key))
      throw new CatalogError(400, 'BadRequestException', 'Idempotency-Key is not a UUID');
    const name = createHash('sha256').update(`${user}\n${key.toLowerCase()}`).digest();
    const request = createHash('sha256').update(`${method} ${url}\n${body}`).digest('base64');
    const earlier = await this.#begin(name, request);
    if (earlier) return earlier;
    return this.#carryOut(name, request, work);
  }

  /** @returns the answer to the first request; `undefined`: this is it. */
  async #begin(name: Buffer, request: string): Promise<HttpResponse | undefined> {
    this.#sweeper.sweepIfDue();
    for (const since = performance.now(); ; ) {
      const found = await this.#kv.get(partition, name);
      const record = found && decoded(found.value);
      const isOver = !record || Date.now() - record.at > (record.sealed === undefined ? longestRequest : life);
      if (isOver) {
        if (await this.#claim(name, request, found?.predicate)) return undefined;
        continue;
      }
      if (record.request !== request)
        throw new CatalogError(422, 'UnprocessableEntityException', 'the Idempotency-Key was used for another request; make a new one');
      if (record.sealed !== undefined) return replayed(await this.#open(record.sealed));
      if (performance.now() - since > patience)
        throw new CatalogError(
          503,
          'ServiceUnavailableException',
          'the first request with this Idempotency-Key has not ended yet; repeat it later',
        );
      await sleep(pause);
    }
  }

  #claim(name: Buffer, request: string, predicate: Predicate | undefined): Promise<boolean> {
    return this.#kv.setIf(partition, name, encoded({ request, at: Date.now() }), predicate ?? absent);
  }

  async #carryOut(name: Buffer, request: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    try {
      const answer = await work();
      await this.#remember(name, request, { answer });
      return answer;
    } catch (error) {
      if (isCatalogError(error) && error.status < 500) {
        const { status, type, message } = error;
        await this.#remember(name, request, { refusal: { status, type, message } });
      } else await this.#kv.delete(partition, name);
      throw error;
    }
  }

  async #remember(name: Buffer, request: string, outcome: Outcome): Promise<void> {
    const record = encoded({ request, at: Date.now(), sealed: await this.#seal(outcome) });
    if (record.length <= maxRecord) await this.#kv.set(partition, name, record);
    else await this.#kv.delete(partition, name);
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

  /** Ends the removal of old records. */
  stop(): Promise<void> {
    return this.#sweeper.stop();
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
