/** The command of the plugin. */
import { definePlugin } from '@srv/kernel';
import { sql } from './sql.js';

export default definePlugin({
  name: 'sql-engine',
  apply({ hooks }) {
    hooks.commands.tap('sql-engine', registry => registry.add(sql, 'sql-engine'));
  },
});
