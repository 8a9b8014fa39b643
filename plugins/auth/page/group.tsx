/** One group: members, policies. */

import { Tabs, ask, shownName, to, useAsync, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { attaching } from './attach.js';
import { Permission } from './groups.js';
import { groupResource } from './model/resource.js';
import { NamedList } from './named-list.js';
import { PolicyList } from './policy-list.js';
import { adminMode } from './shapes.js';
import type { Group, User } from './shapes.js';

export function GroupPage({ id, tab }: { readonly id: string; readonly tab: string | undefined }) {
  const { policies, mode } = adminMode();
  const [input] = useState({ groupId: id });
  const mayNotAdd = useDenial('auth:AddGroupMember', groupResource(id));
  const mayNotRemove = useDenial('auth:RemoveGroupMember', groupResource(id));
  const group = useAsync(async signal => (await ask('getGroup', input, { signal })) as Group, [id]);
  const tabs = [{ id: 'members', title: 'Members' }, ...(policies ? [{ id: 'policies', title: 'Policies' }] : [])].map(found => ({
    ...found,
    href: to('auth', 'groups', id, found.id),
  }));
  const open = tabs.find(found => found.id === tab)?.id ?? 'members';
  const { name, description } = group.state === 'ready' ? group.value : { name: id, description: '' };
  return (
    <>
      <p>
        <a href={to('auth', 'groups')}>Groups</a> / <strong>{shownName(name || id)}</strong> <span class="muted">{description}</span>
      </p>
      {mode === 'simplified' && (
        <p class="group">
          Permission: <Permission group={id} />
        </p>
      )}
      <Tabs class="tabs gap" label="Group" tabs={tabs} open={open} />
      {open === 'members' ? (
        <NamedList<User>
          title="Members"
          noun="member"
          many="members"
          icon="user"
          operationId="listGroupMembers"
          input={input}
          hrefOf={({ id: user }) => to('auth', 'users', user)}
          remove={{ word: 'Remove', off: mayNotRemove, act: user => ask('deleteGroupMembership', { groupId: id, userId: user }) }}
          create={attaching('Add members', mayNotAdd, 'listUsers', user => ask('addGroupMembership', { groupId: id, userId: user }))}
        />
      ) : (
        <PolicyList title="Policies" of="Group" resource={groupResource(id)} input={input} own />
      )}
    </>
  );
}
