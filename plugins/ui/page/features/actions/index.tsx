/** Runs of actions. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Actions = later(() => import('./actions.js').then(module => module.Actions));

if (offers('listRepositoryRuns'))
  registry.tab({ id: 'actions', title: 'Actions', icon: 'play', order: 70, render: place => <Actions {...place} /> });
