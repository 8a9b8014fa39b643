/** One user: groups, policies, credentials. */

import { Tabs, ask, shownName, to, useDenial } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { attaching } from './attach.js';
import { Credentials } from './credentials.js';
import { userResource } from './model/resource.js';
import { NamedList } from './named-list.js';
import { PermissionTrial } from './permission-trial.js';
import { PolicyList } from './policy-list.js';
import { adminMode } from './shapes.js';
import type { Group } from './shapes.js';

export function UserPage({ id, tab }: { readonly id: string; readonly tab: string | undefined }) {
  const { groups, policies } = adminMode();
  // Which group is not known yet.
  const mayNotAdd = useDenial('auth:AddGroupMember');
  const mayNotRemove = useDenial('auth:RemoveGroupMember');
  const [input] = useState({ userId: id });
  const [effective] = useState({ userId: id, effective: true });
  const tabs = [
    ...(groups ? [{ id: 'groups', title: 'Groups' }] : []),
    ...(policies
      ? [
          { id: 'policies', title: 'Own policies' },
          { id: 'effective', title: 'Effective policies' },
        ]
      : []),
    { id: 'credentials', title: 'Credentials' },
  ].map(found => ({ ...found, href: to('auth', 'users', id, found.id) }));
  const open = tabs.find(found => found.id === tab)?.id ?? tabs[0]?.id ?? 'credentials';
  return (
    <>
      <p>
        <a href={to('auth', 'users')}>Users</a> / <strong>{shownName(id)}</strong>
      </p>
      <Tabs class="tabs gap" label="User" tabs={tabs} open={open} />
      {open === 'groups' && (
        <NamedList<Group>
          title="Groups"
          noun="group"
          many="groups"
          icon="user"
          operationId="listUserGroups"
          input={input}
          nameOf={({ id: group, name }) => name || group}
          hrefOf={({ id: group }) => to('auth', 'groups', group)}
          remove={{ word: 'Leave', off: mayNotRemove, act: group => ask('deleteGroupMembership', { groupId: group, userId: id }) }}
          create={attaching('Add to groups', mayNotAdd, 'listGroups', group => ask('addGroupMembership', { groupId: group, userId: id }))}
        />
      )}
      {open === 'policies' && <PolicyList title="Own policies" of="User" resource={userResource(id)} input={input} own />}
      {open === 'effective' && <PolicyList title="Effective policies" of="User" resource={userResource(id)} input={effective} />}
      {open === 'effective' && <PermissionTrial user={id} />}
      {open === 'credentials' && <Credentials user={id} />}
    </>
  );
}
