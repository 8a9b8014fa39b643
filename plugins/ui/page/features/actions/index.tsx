/** Runs of actions. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Actions = later(() => import('./actions.js').then(module => module.Actions));
const CommitRuns = later(() => import('./commit-runs.js').then(module => module.CommitRuns));

if (offers('listRepositoryRuns')) {
  registry.tab({ id: 'actions', title: 'Actions', icon: 'play', order: 70, render: place => <Actions {...place} /> });
  registry.panel({ id: 'runs', title: 'Action runs', place: 'commit', render: place => <CommitRuns {...place} /> });
}
