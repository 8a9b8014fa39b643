/** Garbage collection, as a section of the settings. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Retention = later(() => import('./retention.js').then(module => module.Retention));

if (offers('getGCRules'))
  registry.panel({ id: 'retention', title: 'Garbage collection', place: 'settings', render: at => <Retention {...at} /> });
