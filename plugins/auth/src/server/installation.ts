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
