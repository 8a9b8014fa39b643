/** The plugin: adds the operations. */
import { definePlugin } from '@srv/kernel';
import operations from '../operations.js';

export default definePlugin({
  name: 'pulls',
  apply: ({ hooks }) => hooks.operations.tap('pulls', table => table.add('pulls', operations)),
});
