/** Options that several of the commands share. */
import { UsageError, textOf } from '@srv/lib-commands';
import type { CommandInput, CommandOption } from '@srv/lib-commands';

const text = (name: string, description: string, more: Partial<CommandOption> = {}): CommandOption => ({
  name,
  type: 'string',
  description,
  ...more,
});

export const options = {
  catalogId: text('catalog-id', 'Glue catalog ID'),
  dbfsRoot: text('dbfs-root', 'what takes the place of dbfs:/ in locations'),
  fromClientType: text('from-client-type', 'kind of the metastore to read: hive or glue'),
  toClientType: text('to-client-type', 'kind of the metastore to write: hive or glue'),
  metastoreUri: text('metastore-uri', 'Hive metastore, host:port'),
  fromAddress: text('from-address', 'metastore to read: host:port of Hive, catalog ID of Glue'),
  toAddress: text('to-address', 'metastore to write: host:port of Hive, catalog ID of Glue'),
  fromSchema: text('from-schema', 'source schema'),
  fromTable: text('from-table', 'source table'),
  schemaFilter: text('schema-filter', 'schemas to copy, in the pattern language of the source', { default: '.*' }),
  tableFilter: text('table-filter', 'tables to copy, in the pattern language of the source', { default: '.*' }),
  continueOnError: {
    name: 'continue-on-error',
    type: 'bool',
    default: false,
    description: 'report what fails, and go on',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export { text as textOption };

/** The value of a text option, empty when it is not given. */
export function given({ options: values }: CommandInput, name: string): string {
  return textOf(values[name]) ?? '';
}

/** @throws UsageError that names all options of `names` that are not given. */
export function demand(input: CommandInput, ...names: readonly string[]): void {
  const missing = names.filter(name => given(input, name) === '');
  if (missing.length > 0) throw new UsageError(`required flag(s) ${missing.map(name => `"${name}"`).join(', ')} not set`);
}

/** Where both metastores of a command are that takes one address for each kind. @param usual type that the configuration says. */
export function sharedPlaces(input: CommandInput, usual: string) {
  const place = (side: 'from' | 'to') => {
    const type = given(input, `${side}-client-type`);
    return { type, address: given(input, (type || usual) === 'glue' ? 'catalog-id' : 'metastore-uri') };
  };
  return { from: place('from'), to: place('to') };
}

/** What copies of many tables end with. */
export function copiedText(copied: readonly unknown[]): string {
  return `${copied.length} ${copied.length === 1 ? 'table' : 'tables'} copied`;
}
