/** The tabs of a repository that every server has. */
import { registry } from '../core/registry.js';
import { Objects } from '../views/objects/objects.js';
import { later } from '../parts/lazy.js';

const Commits = later(() => import('../views/commits/index.js').then(module => module.Commits));
const Branches = later(() => import('../views/refs/branches.js').then(module => module.Branches));
const Tags = later(() => import('../views/refs/tags.js').then(module => module.Tags));
const Compare = later(() => import('../views/compare/compare.js').then(module => module.Compare));
const Settings = later(() => import('../views/settings/settings.js').then(module => module.Settings));
const ObjectView = later(() => import('../views/object/object.js').then(module => module.ObjectView));

registry.tab({ id: 'objects', title: 'Data', icon: 'database', order: 10, render: place => <Objects {...place} /> });
registry.tab({ id: 'object', title: '', order: 11, render: place => <ObjectView {...place} /> });
registry.tab({ id: 'commits', title: 'Commits', icon: 'commit', order: 20, render: place => <Commits {...place} /> });
registry.tab({ id: 'branches', title: 'Branches', icon: 'branch', order: 30, render: place => <Branches {...place} /> });
registry.tab({ id: 'tags', title: 'Tags', icon: 'tag', order: 40, render: place => <Tags {...place} /> });
registry.tab({ id: 'compare', title: 'Compare', icon: 'compare', order: 60, render: place => <Compare {...place} /> });
registry.tab({ id: 'settings', title: 'Settings', icon: 'settings', order: 90, render: place => <Settings {...place} /> });
