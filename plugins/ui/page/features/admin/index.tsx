/** Administration: own credentials, users, groups, policies. */
import { offers } from '../../core/boot.js';
import { registry } from '../../core/registry.js';
import { later } from '../../parts/lazy.js';

const Admin = later(() => import('./admin.js').then(module => module.Admin));

if (offers('listUserCredentials')) registry.page({ id: 'auth', title: 'Administration', order: 10, render: rest => <Admin rest={rest} /> });
