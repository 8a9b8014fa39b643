/** Groups, policies, and who and what belongs to them. */

import { compareBytes } from '@srv/lib-records';
import { authPartition, groupPoliciesPrefix, membersPrefix, policyKey, userKey, userPoliciesPrefix } from '../storage/keys.js';
import { writeOwned } from '../storage/owned-write.js';
import { decodeGroup, decodePolicy, encodeGroup, encodePolicy } from '../storage/records.js';
import { Relation } from '../storage/relation.js';
import { Table } from '../storage/table.js';
import type { KvStore } from '@srv/kernel';
import type { Group, Policy } from '../../contract.js';
import type { Deletion } from '../storage/deletion.js';

export class Groups {
  readonly groups: Table<Group>;
  readonly policies: Table<Policy>;
  readonly members: Relation;
  readonly groupPolicies: Relation;
  readonly userPolicies: Relation;

  constructor(kv: KvStore) {
    this.groups = new Table(kv, { partition: authPartition, prefix: 'groups/', kind: 'group', encode: encodeGroup, decode: decodeGroup });
    this.policies = new Table(kv, {
      partition: authPartition,
      prefix: 'policies/',
      kind: 'policy',
      encode: encodePolicy,
      decode: decodePolicy,
    });
    this.members = new Relation(kv, { kind: 'group membership', prefix: membersPrefix, primary: userKey });
    this.groupPolicies = new Relation(kv, { kind: 'policy attachment', prefix: groupPoliciesPrefix, primary: policyKey });
    this.userPolicies = new Relation(kv, { kind: 'policy attachment', prefix: userPoliciesPrefix, primary: policyKey });
  }

  /** Names of the groups a user is in. */
  async *groupsOf(username: string): AsyncGenerator<{ readonly name: string }> {
    for await (const name of this.groups.names()) if (await this.members.has(name, username)) yield { name };
  }

  /** {@link effectivePolicies}, for a list. */
  async *namedPolicies(username: string): AsyncGenerator<{ readonly name: string; readonly policy: Policy }> {
    for (const policy of await this.effectivePolicies(username)) yield { name: policy.id, policy };
  }

  /** Policies attached to the user and to its groups, each once, in byte order of their names. */
  async effectivePolicies(username: string): Promise<Policy[]> {
    const names = new Set<string>();
    for await (const policy of this.userPolicies.members(username)) names.add(policy);
    for await (const { name } of this.groupsOf(username)) for await (const policy of this.groupPolicies.members(name)) names.add(policy);
    const found = await Promise.all([...names].sort(compareBytes).map(name => this.policies.find(name)));
    return found.filter(policy => policy !== undefined);
  }

  /** Removes everything that names the user. @param deletion of the user. */
  async forgetUser(username: string, deletion: Deletion<unknown>): Promise<void> {
    for await (const group of deletion.whileThere(this.groups.names())) await this.members.drop(group, username);
    await this.userPolicies.dropOwner(username, deletion);
  }

  /** @param options.tolerate accepts a policy that is attached already. @throws SrvError `not_found`, `not_unique`. */
  attach(group: string, policy: string, { tolerate = false } = {}): Promise<void> {
    return writeOwned(
      [this.groups.owner(group), this.policies.owner(policy)],
      () => this.groupPolicies.add(group, policy, { tolerate }),
      () => this.groupPolicies.drop(group, policy),
    );
  }

  /** @throws SrvError `not_found`; `too_many_tries` while another request does the last step. */
  async deleteGroup(id: string): Promise<void> {
    const deletion = await this.groups.beginDeletion(id);
    await this.members.dropOwner(id, deletion);
    await this.groupPolicies.dropOwner(id, deletion);
    await deletion.removeRecord();
  }

  /** @param usernames of all users: attachments are found by asking each. @throws SrvError as {@link deleteGroup}. */
  async deletePolicy(id: string, usernames: AsyncIterable<string>): Promise<void> {
    const deletion = await this.policies.beginDeletion(id);
    for await (const group of deletion.whileThere(this.groups.names())) await this.groupPolicies.drop(group, id);
    for await (const username of deletion.whileThere(usernames)) await this.userPolicies.drop(username, id);
    await deletion.removeRecord();
  }
}
