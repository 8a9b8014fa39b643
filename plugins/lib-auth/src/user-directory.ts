/** What a source of users must provide to become an identity service. */
import type { AccessKey, User } from '@srv/kernel';
import type { Policy } from './policy/model.js';

/** An access key with the name of its user. */
export type OwnedKey = AccessKey & { readonly username: string };

export interface UserDirectory {
  findUser(username: string): Promise<User | undefined>;
  findAccessKey(accessKeyId: string): Promise<OwnedKey | undefined>;
  /** Of the user and of its groups, each once. */
  effectivePolicies(username: string): Promise<readonly Policy[]>;
}
