/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { searchJournal } from './journal.js';
import { search } from './search.js';
import { searchDisable, searchEnable, searchRebuild, searchStatusCommand } from './switch.js';
import { searchUsage } from './usage.js';

export default definePlugin({
  name: 'search',
  apply({ hooks }) {
    hooks.commands.tap('search', registry => {
      for (const command of [search, searchJournal, searchUsage, searchEnable, searchDisable, searchStatusCommand, searchRebuild])
        registry.add(command, 'search');
    });
  },
});
