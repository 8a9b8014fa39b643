/** The command of the plugin. */
import { definePlugin } from '@srv/kernel';
import { mcp } from './mcp.js';

export default definePlugin({
  name: 'mcp',
  apply: ({ hooks }) => hooks.commands.tap('mcp', registry => registry.add(mcp, 'mcp')),
});
