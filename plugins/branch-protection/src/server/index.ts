/** The plugin: keeps the rules, enforces them, and adds the operations. */
import { definePlugin } from '@srv/kernel';
import operations from '../operations.js';
import { createProtection, describeRecord } from './rules.js';

export default definePlugin({
  name: 'branch-protection',
  apply({ hooks, services }) {
    let protection: ReturnType<typeof createProtection> | undefined;
    hooks.operations.tap('branch-protection', table => table.add('branch-protection', operations));
    hooks.describeRecord.tap('branch-protection', describeRecord);
    hooks.guardBranch.tapPromise('branch-protection', async change => protection?.guard(change));
    hooks.start.tap('branch-protection', () => {
      protection = createProtection({ kv: services.get('kv'), engine: services.get('engine') });
      services.provide('branchProtection', protection.service);
    });
  },
});
