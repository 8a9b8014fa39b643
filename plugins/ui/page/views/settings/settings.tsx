/** Settings of a repository: general facts, and sections that features bring. */
import { Empty, Tabs, panels, to } from '@srv/lib-page/page';
import { General } from './general.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Settings(at: RepositoryPlace) {
  const [section = 'general'] = at.rest;
  const sections = [
    { id: 'general', title: 'General', render: () => <General {...at} /> },
    ...panels.value.filter(panel => panel.place === 'settings'),
  ];
  const open = sections.find(({ id }) => id === section);
  return (
    <div class="side">
      <Tabs
        label="Settings"
        class="sections"
        open={section}
        tabs={sections.map(({ id, title }) => ({ id, title, href: to('repositories', at.repository, 'settings', id) }))}
      />
      <section aria-label={open?.title ?? 'Settings'}>
        {open ? open.render(at) : <Empty icon="search" title="There is no such section" />}
      </section>
    </div>
  );
}
