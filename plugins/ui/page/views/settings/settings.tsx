/** Settings of a repository: general facts, and sections that features bring. */
import { panels } from '../../core/registry.js';
import { to } from '../../core/links.js';
import { Empty } from '../../parts/states.js';
import { General } from './general.js';
import type { RepositoryPlace } from '../../core/registry.js';

export function Settings(at: RepositoryPlace) {
  const [section = 'general'] = at.rest;
  const sections = [
    { id: 'general', title: 'General', render: () => <General {...at} /> },
    ...panels.value.filter(panel => panel.place === 'settings'),
  ];
  const open = sections.find(({ id }) => id === section);
  return (
    <div class="side">
      <nav aria-label="Settings">
        {sections.map(({ id, title }) => (
          <a
            key={id}
            href={to('repositories', at.repository, 'settings', id)}
            {...(id === section ? { 'aria-current': 'page' as const } : {})}
          >
            {title}
          </a>
        ))}
      </nav>
      <section aria-label={open?.title ?? 'Settings'}>
        {open ? open.render(at) : <Empty icon="search" title="There is no such section" />}
      </section>
    </div>
  );
}
