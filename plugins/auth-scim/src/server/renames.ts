/**
 * Renames of groups. The directory cannot rename: a new group gets what the old one has. The record of the group's id says so from
 * before the first step until after the last one, so that a rename that a server left halfway is undone or finished by the next
 * request, and no change of members is lost meanwhile.
 */
import { equalsInAnyCase } from './filter.js';
import { longestMs } from './name-locks.js';
import { ScimError } from './scim-error.js';
import { checkName, copyGroup, findGroup, isEmptyGroup } from './stored-groups.js';
import type { AuthService } from '@srv/auth/contract';
import type { GroupIds, KnownGroup } from './group-ids.js';
import type { NameLocks } from './name-locks.js';

interface RenameParts {
  readonly auth: AuthService;
  readonly ids: GroupIds;
  readonly holding: NameLocks;
}

export function createRenames({ auth, ids, holding }: RenameParts) {
  /** Changes the record. @throws ScimError 409 where another request has begun a rename, or taken this one up. */
  const note = (group: KnownGroup, facts: Partial<Pick<KnownGroup, 'name' | 'renaming'>>): Promise<KnownGroup> =>
    ids.change(group, facts, now => {
      if (now.name !== group.name || now.renaming?.since !== group.renaming?.since) throw renamedMeanwhile(group);
    });

  async function move(group: KnownGroup, to: string, renew: () => Promise<void>): Promise<KnownGroup> {
    const since = Date.now();
    const begun = await note(group, { renaming: { to, since } });
    try {
      return await finish(await copy(begun, renew));
    } catch (error) {
      // Where this fails, too, a later request does it.
      await giveUp(group.id, since).catch(() => undefined);
      throw error;
    }
  }

  async function giveUp(id: string, since: number): Promise<void> {
    const group = await ids.byId(id);
    if (group.renaming?.since === since && !group.renaming.isCopied) await undo(group, since);
  }

  /** @returns the record as it is once the new group has everything. */
  async function copy(group: KnownGroup, renew: () => Promise<void>): Promise<KnownGroup> {
    const { name, renaming } = group;
    if (!renaming) return group;
    const { description, createdAt } = await auth.getGroup(name);
    const { createdAt: created } = await auth.createGroup(renaming.to, description);
    const known = { ...renaming, old: createdAt.toISOString(), created: created.toISOString() };
    let alive = Date.now();
    await note(group, { renaming: { ...known, alive } });
    /** A large group takes minutes. */
    const stay = async (): Promise<void> => {
      if (Date.now() - alive < longestMs / 4) return;
      alive = Date.now();
      await renew();
      await note(group, { renaming: { ...known, alive } });
    };
    await copyGroup(auth, name, renaming.to, stay);
    // What was changed elsewhere during the first pass.
    await copyGroup(auth, name, renaming.to, stay);
    return note(group, { renaming: { ...known, alive: Date.now(), isCopied: true } });
  }

  /** The old group is not asked for anything: its deletion may have begun. One that was created after it has the name stays. */
  async function finish(group: KnownGroup): Promise<KnownGroup> {
    const { name, renaming } = group;
    const found = await findGroup(auth, name);
    if (found && (renaming?.old === undefined || renaming.old === found.createdAt.toISOString())) await auth.deleteGroup(name);
    return note(group, { name: renaming?.to ?? name, renaming: undefined });
  }

  /** @param since when the rename began. */
  async function undo(group: KnownGroup, since: number): Promise<KnownGroup> {
    const { to = '', created } = group.renaming ?? {};
    const found = await findGroup(auth, to);
    // Another group may have the name by now.
    const isCopy = found && (created === undefined ? found.createdAt.getTime() >= since : created === found.createdAt.toISOString());
    if (isCopy && (created !== undefined || (await isEmptyGroup(auth, to)))) await auth.deleteGroup(to);
    return note(group, { renaming: undefined });
  }

  /** Before and after a change of the group. @throws ScimError 409 where a rename is running or has changed the name. */
  async function checkStays({ id, name }: KnownGroup): Promise<void> {
    const now = await ids.byId(id);
    if (now.name !== name || now.renaming) throw renamedMeanwhile({ name });
  }

  return {
    /** Holds both names: of several renames of a group at once, one succeeds. @throws ScimError 409 where another request was faster. */
    rename(group: KnownGroup, name: string): Promise<KnownGroup> {
      const work = async (renew: () => Promise<void>): Promise<KnownGroup> => {
        await checkStays(group);
        await checkName(auth, name, group.name);
        return move(group, name, renew);
      };
      return holding('group', group.name, old => {
        if (equalsInAnyCase(name, group.name)) return work(old);
        return holding('group', name, fresh => work(() => old().then(fresh)));
      });
    },
    /** The group, after a rename that was left halfway is undone or finished. One that is running is left alone. */
    async settle(group: KnownGroup): Promise<KnownGroup> {
      const { renaming } = group;
      if (!renaming || (renaming.alive ?? renaming.since) + longestMs > Date.now()) return group;
      const taken = await note(group, { renaming: { ...renaming, since: Date.now(), alive: undefined } });
      return renaming.isCopied ? finish(taken) : undo(taken, renaming.since);
    },
    checkStays,
  };
}

export type Renames = ReturnType<typeof createRenames>;

function renamedMeanwhile({ name }: Pick<KnownGroup, 'name'>): ScimError {
  return new ScimError(409, `group ${name} is being renamed by another request: repeat this one`);
}
