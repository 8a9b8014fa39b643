/** The command of the plugin. */
import { definePlugin } from '@srv/kernel';
import { diffRows } from './diff-rows.js';

export default definePlugin({
  name: 'row-diff',
  apply({ hooks }) {
    hooks.commands.tap('row-diff', registry => registry.add(diffRows, 'row-diff'));
  },
});
