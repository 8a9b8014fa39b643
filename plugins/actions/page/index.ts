/** Runs of actions on the web page. */
import type { PageDescription } from '@srv/lib-page';

export default {
  tabs: [{ id: 'actions', title: 'Actions', icon: 'play', order: 70, view: './actions.tsx' }],
  panels: [{ id: 'runs', title: 'Action runs', place: 'commit', view: './commit-runs.tsx' }],
  actions: [
    {
      id: 'runs-of-commit',
      title: 'Action runs',
      icon: 'play',
      place: 'commit',
      href: 'repositories/{repository}/actions?commit={commit}',
    },
    {
      id: 'runs-on-branch',
      title: 'Action runs',
      icon: 'play',
      place: 'branch',
      href: 'repositories/{repository}/actions?branch={branch}',
    },
  ],
  refusals: [{ status: 412, view: './refusal.tsx' }],
} satisfies PageDescription;
