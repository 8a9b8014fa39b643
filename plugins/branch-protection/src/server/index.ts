/** The plugin: adds the operations. */
import { definePlugin } from '@srv/kernel';
import operations from '../operations.js';

export default definePlugin({
  name: 'branch-protection',
  apply: ({ hooks }) => hooks.operations.tap('branch-protection', table => table.add('branch-protection', operations)),
});
