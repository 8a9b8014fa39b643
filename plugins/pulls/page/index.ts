/** Pull requests on the web page. */
import type { PageDescription } from '@srv/lib-page';

export default {
  tabs: [{ id: 'pulls', title: 'Pull Requests', icon: 'merge', order: 50, key: 'p', view: './pulls.tsx' }],
  actions: [
    {
      id: 'create-pull-request',
      title: 'Create Pull Request',
      icon: 'compare',
      place: 'compare',
      href: 'repositories/{repository}/pulls/create?ref={base}&compare={compare}',
    },
  ],
} satisfies PageDescription;
