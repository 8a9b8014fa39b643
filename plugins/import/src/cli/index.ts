/** The command of the plugin. */
import { definePlugin } from '@srv/kernel';
import { importCommand } from './import.js';

export default definePlugin({
  name: 'import',
  apply: ({ hooks }) => hooks.commands.tap('import', registry => registry.add(importCommand, 'import')),
});
