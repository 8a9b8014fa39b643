/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { usageSummary } from './summary.js';

export default definePlugin({
  name: 'usage',
  apply: ({ hooks }) => hooks.commands.tap('usage', registry => registry.add(usageSummary, 'usage')),
});
