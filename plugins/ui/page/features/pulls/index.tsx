/** Pull requests. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Pulls = later(() => import('./pulls.js').then(module => module.Pulls));

if (offers('listPullRequests'))
  registry.tab({ id: 'pulls', title: 'Pull Requests', icon: 'merge', order: 50, render: place => <Pulls {...place} /> });
