/** The sections of the administration. */

import { Empty, Tabs, to } from '@srv/lib-page/page';
import { useEffect } from 'preact/hooks';
import { Credentials } from './credentials.js';
import { GroupPage } from './group.js';
import { Groups } from './groups.js';
import { Policies } from './policies.js';
import { PolicyPage } from './policy.js';
import { adminMode, ownId } from './shapes.js';
import { UserPage } from './user.js';
import { Users } from './users.js';
import './style.css';

export default function Admin({ rest }: { readonly rest: readonly string[] }) {
  const [section = 'credentials', id, tab] = rest;
  const { mode, groups, policies } = adminMode();
  const sections = [
    { id: 'credentials', title: 'My Credentials' },
    { id: 'users', title: 'Users' },
    ...(groups ? [{ id: 'groups', title: 'Groups' }] : []),
    ...(policies ? [{ id: 'policies', title: 'Policies' }] : []),
  ];
  const open = sections.find(found => found.id === section);
  useEffect(() => {
    document.title = `${open?.title ?? 'Administration'} · srv`;
  }, [open?.title]);
  return (
    <>
      <h1 class="gap">Administration</h1>
      <div class="side">
        <Tabs
          label="Administration"
          class="sections"
          open={section}
          tabs={sections.map(({ id: name, title }) => ({ id: name, title, href: to('auth', name) }))}
        />
        <section aria-label={open?.title ?? 'Administration'}>
          {!open ? (
            <Empty icon="lock" title="Not on this server">
              <p>
                Users are managed in the mode “{mode}” here, which has no {section}. The key auth.ui_config.rbac chooses another one.
              </p>
            </Empty>
          ) : section === 'credentials' ? (
            <Credentials user={ownId()} own />
          ) : section === 'users' ? (
            id === undefined ? (
              <Users />
            ) : (
              <UserPage id={id} tab={tab} />
            )
          ) : section === 'groups' ? (
            id === undefined ? (
              <Groups />
            ) : (
              <GroupPage id={id} tab={tab} />
            )
          ) : id === undefined ? (
            <Policies />
          ) : (
            <PolicyPage id={id} />
          )}
        </section>
      </div>
    </>
  );
}
