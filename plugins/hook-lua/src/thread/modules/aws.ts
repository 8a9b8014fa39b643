/** `aws`: S3 and Glue. */
import { fromJson } from '../lua-value.js';
import { found, methodsOf } from './outside-method.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { OutsideLink } from '../outside-link.js';
import type { Fields } from './outside-method.js';

const place = (args: Arguments): Fields => ({ bucket: args.text(2), object: args.text(3) });
const inDatabase = (args: Arguments): Fields => ({ database: args.text(2), table: args.text(3), catalog: args.optionalText(4) });
const withTable = (args: Arguments): Fields => ({ database: args.text(2), json: args.text(3), catalog: args.optionalText(4) });

export function awsModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  const s3 = methodsOf(outside, 's3');
  const glue = methodsOf(outside, 'glue');
  return {
    s3: {
      get_object: s3('get', place, found),
      put_object: s3('put', args => ({ ...place(args), data: new Uint8Array(args.buffer(4)) })),
      delete_object: s3('delete', place),
      delete_recursive: s3('deleteRecursive', args => ({ bucket: args.text(2), prefix: args.text(3) })),
      list_objects: s3(
        'list',
        args => ({
          bucket: args.text(2),
          prefix: args.optionalText(3),
          continuation: args.optionalText(4),
          delimiter: args.optionalText(5) ?? '/',
        }),
        result => [fromJson(result)],
      ),
    },
    glue: {
      get_table: glue('getTable', inDatabase, result => (result === undefined ? ['', false] : [fromJson(result), true])),
      create_table: glue('createTable', withTable),
      update_table: glue('updateTable', args => ({
        ...withTable(args),
        version: args.optionalText(5),
        skipArchive: args.optionalBoolean(6),
      })),
      delete_table: glue('deleteTable', inDatabase),
      create_database: glue('createDatabase', args => {
        const options = args.optionalTable(3);
        return {
          database: args.text(2),
          errorOnExists: options?.get('error_on_already_exists') !== false,
          json: options?.get('create_db_input'),
        };
      }),
      delete_database: glue('deleteDatabase', args => ({ database: args.text(2), catalog: args.optionalText(3) })),
    },
  };
}
