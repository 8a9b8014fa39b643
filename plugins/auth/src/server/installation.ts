/** Facts about the installation: who it is, whether it was set up, what its owner wants to hear. */
import { SrvError, absent } from '@srv/kernel';
import { installationId } from '@srv/lib-auth';
import { authPartition, metadataKey, schemaVersion } from './storage/keys.js';
import type { KvStore } from '@srv/kernel';
import type { AuthMode, CommunicationPreferences, SetupState } from '../contract.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
/** RFC 3339, whole seconds. */
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;
const base64 = (text: string): string => bytes(text).toString('base64');

/** The text clients and provisioning scripts compare. */
export const alreadyInitialized = (): SrvError => new SrvError('not_unique', 'lakeFS already initialized');

/** Milliseconds after which a setup counts as stopped that has neither ended nor failed. */
const setupValidity = 60_000;

export class Installation {
  readonly #kv: KvStore;
  readonly #mode: AuthMode;
  /** Once set up, always set up: saves a read per call. */
  #initialized = false;

  constructor(kv: KvStore, mode: AuthMode) {
    this.#kv = kv;
    this.#mode = mode;
  }

  id(): Promise<string> {
    return installationId(this.#kv);
  }

  async state(): Promise<SetupState> {
    if (this.#mode === 'external') return { initialized: true, preferencesMissing: false };
    this.#initialized ||= (await this.#read('setup_timestamp')) !== undefined;
    const answered = await this.#read('comm_prefs_set');
    return { initialized: this.#initialized, preferencesMissing: answered === undefined ? this.#initialized : answered !== 'true' };
  }

  /** Whether the presets of the current mode exist: once made they are the administrators' to change. */
  async hasPresets(): Promise<boolean> {
    return (await this.#read(`setup_auth_${this.#mode}`)) !== undefined;
  }

  async markPresets(): Promise<void> {
    await this.#write(`setup_auth_${this.#mode}`, now());
  }

  /**
   * Runs the first setup unless another request does, at any server of the database. A setup that fails can be repeated at once,
   * and one whose server ended, after a minute.
   * @throws SrvError `not_unique` when the installation is set up, or is being set up.
   */
  async setUpAlone<T>(work: () => Promise<T>): Promise<T> {
    const key = bytes(metadataKey('setup_claim'));
    const found = await this.#kv.get(authPartition, key);
    const claim = bytes(new Date(Date.now() + setupValidity).toISOString());
    const isRunning = found !== undefined && Date.parse(found.value.toString('utf8')) > Date.now();
    if (isRunning || !(await this.#kv.setIf(authPartition, key, claim, found?.predicate ?? absent)))
      throw new SrvError('not_unique', 'the installation is being set up by another request: wait for it, or try again in a minute');
    try {
      // Read under the claim: the other request may just have ended.
      if ((await this.state()).initialized) throw alreadyInitialized();
      return await work();
    } finally {
      // A claim that stays ends in a minute, and must not hide the outcome.
      await this.#release(key, claim).catch(() => undefined);
    }
  }

  /** Unless another request claimed the setup meanwhile. */
  async #release(key: Buffer, claim: Buffer): Promise<void> {
    if ((await this.#kv.get(authPartition, key))?.value.equals(claim)) await this.#kv.delete(authPartition, key);
  }

  async markInitialized(): Promise<void> {
    await this.markPresets();
    await this.#kv.setIf(schemaVersion.partition, bytes(schemaVersion.key), bytes(schemaVersion.value), absent);
    await this.#write('setup_timestamp', now());
    this.#initialized = true;
  }

  /** @throws SrvError `invalid` for an invalid address. */
  async writePreferences({ email, firstName, lastName, companyName, featureUpdates }: CommunicationPreferences): Promise<void> {
    const answered = email !== undefined && email !== '';
    if (answered) {
      if (!/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(email)) throw new SrvError('invalid', `invalid email address: ${email}`);
      const facts = { user_email: email, user_first_name: firstName, user_last_name: lastName, user_company_name: companyName };
      for (const [fact, value] of Object.entries(facts))
        if (value !== undefined && value !== '') await this.#write(`encoded_${fact}`, base64(value));
      await this.#write('feature_updates', String(featureUpdates ?? false));
    }
    await this.#write('comm_prefs_set', String(answered));
  }

  async #read(fact: string): Promise<string | undefined> {
    return (await this.#kv.get(authPartition, bytes(metadataKey(fact))))?.value.toString('utf8');
  }

  async #write(fact: string, value: string): Promise<void> {
    await this.#kv.set(authPartition, bytes(metadataKey(fact)), bytes(value));
  }
}
