/** What the mode of users and permissions offers. */
import { SrvError } from '@srv/kernel';
import type { AuthFeature, AuthMode } from '../contract.js';
import type { Directory } from './directory/directory.js';

const features: Readonly<Record<AuthMode, readonly AuthFeature[]>> = {
  none: [],
  simplified: ['groups', 'acls'],
  internal: ['groups', 'policies'],
  external: ['groups', 'policies'],
};

export class ModeFeatures {
  readonly #mode: AuthMode;
  readonly #directory: Directory;

  constructor(mode: AuthMode, directory: Directory) {
    this.#mode = mode;
    this.#directory = directory;
  }

  supports(feature: AuthFeature): boolean {
    return features[this.#mode].includes(feature);
  }

  /** @throws SrvError `unsupported` in a mode without it. */
  need(feature: AuthFeature): void {
    if (!this.supports(feature)) throw new SrvError('unsupported', 'Not Implemented');
  }

  /** Every change of groups and policies: refused in modes without them, and caches forget. */
  async change<T>(feature: AuthFeature, work: () => Promise<T>): Promise<T> {
    this.need(feature);
    return this.#directory.changePolicies(work);
  }
}
