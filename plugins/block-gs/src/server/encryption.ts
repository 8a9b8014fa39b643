/** How objects are encrypted at rest: by the service, with a key of its key management, or with a key we send along. */
import { createHash } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { RequestFailure } from './errors.js';

type Headers = Readonly<Record<string, string>>;

const keyBytes = 32;

export class Encryption {
  /** Query parameters do not carry the customer's key; headers do not carry the name of the managed one. */
  readonly kmsKeyName: string | undefined;
  readonly #key: Buffer | undefined;

  /**
   * @param customerSuppliedKey 64 hex digits.
   * @throws SrvError `config` for a key of another length, or both kinds of keys.
   */
  constructor({ customerSuppliedKey, kmsKeyId }: { customerSuppliedKey?: string | undefined; kmsKeyId?: string | undefined }) {
    if (customerSuppliedKey && kmsKeyId)
      throw new SrvError(
        'config',
        'blockstore.gs.server_side_encryption_customer_supplied: is set together with blockstore.gs.server_side_encryption_kms_key_id; choose one',
      );
    if (customerSuppliedKey && !(customerSuppliedKey.length === 2 * keyBytes && /^[0-9a-fA-F]+$/.test(customerSuppliedKey)))
      throw new SrvError(
        'config',
        `blockstore.gs.server_side_encryption_customer_supplied: value of customer-supplied server side encryption is not a valid ${keyBytes} bytes AES key; write ${2 * keyBytes} hexadecimal digits`,
      );
    this.#key = customerSuppliedKey ? Buffer.from(customerSuppliedKey, 'hex') : undefined;
    this.kmsKeyName = kmsKeyId || undefined;
  }

  get hasCustomerKey(): boolean {
    return this.#key !== undefined;
  }

  /** For what is written. */
  get headers(): Headers {
    return this.#headers('encryption');
  }

  /**
   * Reads with the customer's key, and without it when the object turns out not to be encrypted with one.
   * @param kind of the headers; copies pass the key of their source in others.
   */
  async reading<T>(kind: 'encryption' | 'copy-source-encryption', read: (headers: Headers) => Promise<T>): Promise<T> {
    try {
      return await read(this.#headers(kind));
    } catch (error) {
      const isPlain = error instanceof RequestFailure && error.reason === 'resourceNotEncryptedWithCustomerEncryptionKey';
      if (!this.#key || !isPlain) throw error;
      return read({});
    }
  }

  #headers(kind: string): Headers {
    if (!this.#key) return {};
    return {
      [`x-goog-${kind}-algorithm`]: 'AES256',
      [`x-goog-${kind}-key`]: this.#key.toString('base64'),
      [`x-goog-${kind}-key-sha256`]: createHash('sha256').update(this.#key).digest('base64'),
    };
  }
}
