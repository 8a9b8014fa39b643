/** Protected branches, as a section of the settings. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Protection = later(() => import('./protection.js').then(module => module.Protection));

if (offers('getBranchProtectionRules'))
  registry.panel({ id: 'branches', title: 'Branch protection', place: 'settings', render: at => <Protection {...at} /> });
