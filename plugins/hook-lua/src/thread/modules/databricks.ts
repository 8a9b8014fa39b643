/** `databricks`: schemas, external tables, statements. */
import { methodsOf, text, textIn } from './outside-method.js';
import type { LuaModules } from '../arguments.js';
import type { OutsideLink } from '../outside-link.js';

export function databricksModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  const databricks = methodsOf(outside, 'databricks');
  return {
    databricks_client: {
      create_schema: databricks(
        'createSchema',
        args => ({ schema: args.text(2), catalog: args.text(3), getIfExists: args.optionalBoolean(4) ?? false }),
        text,
      ),
      register_external_table: databricks(
        'registerExternalTable',
        args => ({
          table: args.text(2),
          location: args.text(3),
          warehouse: args.text(4),
          catalog: args.text(5),
          schema: args.text(6),
          description: textIn(args.optionalTable(7), 'description'),
        }),
        text,
      ),
      execute_statement: databricks(
        'executeStatement',
        args => ({ statement: args.text(2), warehouse: args.text(3), catalog: args.text(4), schema: args.text(5) }),
        text,
      ),
    },
  };
}
