/** Environment variables in the properties of hooks (actions sheet, section 6). */
import { SrvError } from '@srv/kernel';
import type { HookEnvironment } from '@srv/lib-api/hook-types';

export interface EnvironmentSettings {
  /** `actions.env.enabled` */
  readonly enabled: boolean;
  /** `actions.env.prefix` */
  readonly prefix: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const token = /\{\{ ?ENV\.([^{}\n]*?) ?\}\}/g;
/** Characters that a value must have to be masked wherever it appears: shorter ones would blot out ordinary text. */
const leastSecret = 4;
const mask = '*******';

/** What one hook sees of the environment, and hides of it. */
export class MaskedEnvironment implements HookEnvironment {
  readonly #settings: EnvironmentSettings;
  /** Longest first, so that no value is masked in part by another one. */
  #secrets: readonly string[] = [];

  constructor(settings: EnvironmentSettings) {
    this.#settings = settings;
  }

  fill(text: string): { readonly text: string; readonly secret: boolean } {
    let secret = false;
    const filled = text.replace(token, (_, name: string) => {
      secret = true;
      const value = this.#valueOf(name.trim());
      this.#hide(value);
      return value;
    });
    if (secret) this.#hide(filled);
    return { text: filled, secret };
  }

  fillAll<T>(value: T): T {
    return this.#deep(value) as T;
  }

  /** The text with every value that was filled in masked. */
  masked(text: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, mask);
    return shown;
  }

  /** The same for bytes that need not be text. */
  maskedBytes(bytes: Buffer): Buffer {
    if (this.#secrets.length === 0) return bytes;
    let shown = bytes.toString('latin1');
    for (const secret of this.#secrets) shown = shown.replaceAll(Buffer.from(secret).toString('latin1'), mask);
    return Buffer.from(shown, 'latin1');
  }

  #deep(value: unknown): unknown {
    if (typeof value === 'string') return this.fill(value).text;
    if (Array.isArray(value)) return value.map(item => this.#deep(item));
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#deep(item)]));
  }

  #valueOf(name: string): string {
    const { enabled, prefix, variables } = this.#settings;
    if (!enabled || !name.startsWith(prefix)) return '';
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new SrvError('invalid', `${name} not found: missing env var`);
    return value;
  }

  /** The plain value, and its forms in a URL, in JSON and in base64. */
  #hide(value: string): void {
    if (value.length < leastSecret) return;
    const query = new URLSearchParams([['', value]]).toString().slice(1);
    const forms = [value, encodeURIComponent(value), query, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('base64')];
    this.#secrets = [...new Set([...this.#secrets, ...forms])].sort((a, b) => b.length - a.length);
  }
}
