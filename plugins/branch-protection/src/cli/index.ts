/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { branchProtectAdd } from './add.js';
import { branchProtectDelete } from './delete.js';
import { branchProtectList } from './list.js';

export default definePlugin({
  name: 'branch-protection',
  apply({ hooks }) {
    hooks.commands.tap('branch-protection', registry => {
      for (const command of [branchProtectAdd, branchProtectDelete, branchProtectList]) registry.add(command, 'branch-protection');
    });
  },
});
