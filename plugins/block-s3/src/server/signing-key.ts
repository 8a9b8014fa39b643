/** Keys of AWS Signature Version 4: derived from the secret once per day and region, not once per signature. */
import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

interface Secret {
  readonly secretAccessKey: string;
}

/** What a key is good for: `<day>/<region>/<service>/aws4_request`. */
export interface Scope {
  /** `yyyymmdd` */
  readonly day: string;
  readonly region: string;
  readonly service: string;
}

/** Two days and secrets of a few regions. @bound keys of signatures */
const maxKeys = 32;

export class SigningKeys {
  readonly #keys = new Map<string, KeyObject>();

  get({ secretAccessKey }: Secret, { day, region, service }: Scope): KeyObject {
    const name = `${day}/${region}/${service}/${secretAccessKey}`;
    const known = this.#keys.get(name);
    if (known) return known;
    const key = createSecretKey([day, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`)));
    if (this.#keys.size >= maxKeys) this.#keys.clear();
    this.#keys.set(name, key);
    return key;
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
