/** The plugin: keeps the rules, enforces them, and adds the operations. */
import { definePlugin } from '@srv/kernel';
import operations from '../operations.js';
import { createProtection, describeRecord } from './rules.js';

export default definePlugin({
  name: 'branch-protection',
  apply({ hooks, services }) {
    hooks.operations.tap('branch-protection', table => table.add('branch-protection', operations));
    hooks.describeRecord.tap('branch-protection', describeRecord);
    hooks.start.tapPromise('branch-protection', async () => {
      const versioning = services.get('versioning');
      const { service, guard } = createProtection({ kv: services.get('kv'), versioning });
      versioning.guardBranches(guard);
      services.provide('branchProtection', service);
    });
  },
});
