/** The tabs of a repository that every server has. */
import { later, registry } from '@srv/lib-page/page';
import { Objects } from './objects/objects.js';

const Commits = later(() => import('./commits/index.js').then(module => module.Commits));
const Branches = later(() => import('./refs/branches.js').then(module => module.Branches));
const Tags = later(() => import('./refs/tags.js').then(module => module.Tags));
const Compare = later(() => import('./compare/compare.js').then(module => module.Compare));
const Settings = later(() => import('./settings/settings.js').then(module => module.Settings));
const ObjectView = later(() => import('./object/object.js').then(module => module.ObjectView));

registry.tab({ id: 'objects', title: 'Data', icon: 'database', order: 10, key: 'd', render: place => <Objects {...place} /> });
registry.tab({ id: 'object', title: '', order: 11, render: place => <ObjectView {...place} /> });
registry.tab({ id: 'commits', title: 'Commits', icon: 'commit', order: 20, key: 'c', render: place => <Commits {...place} /> });
registry.tab({ id: 'branches', title: 'Branches', icon: 'branch', order: 30, key: 'b', render: place => <Branches {...place} /> });
registry.tab({ id: 'tags', title: 'Tags', icon: 'tag', order: 40, key: 't', render: place => <Tags {...place} /> });
registry.tab({ id: 'compare', title: 'Compare', icon: 'compare', order: 60, render: place => <Compare {...place} /> });
registry.tab({ id: 'settings', title: 'Settings', icon: 'settings', order: 90, render: place => <Settings {...place} /> });
