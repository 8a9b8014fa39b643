/** What a client demands of the table that it changes. Clients compare the beginnings of the refusals. */
import { CatalogError } from '../errors.js';
import { isSame, plainText } from '../exact-json.js';
import type { JsonObject } from '../exact-json.js';
import type { TableMetadata } from './model.js';

type Check = (table: TableMetadata, requirement: JsonObject) => string | undefined;

/** @returns a check that a member of the metadata has the value that a member of the requirement names. */
const sameAs =
  (member: keyof TableMetadata & string, named: string, what: string): Check =>
  (table, requirement) =>
    isSame(table[member], requirement[named])
      ? undefined
      : `${what} changed: expected ${plainText(requirement[named])}, the table has ${plainText(table[member])}`;

const checks: Readonly<Record<string, Check>> = {
  'assert-create': () => 'table already exists',
  'assert-table-uuid': (table, { uuid }) =>
    plainText(uuid).toLowerCase() === table['table-uuid'].toLowerCase()
      ? undefined
      : `UUID does not match: expected ${plainText(uuid)}, the table has ${table['table-uuid']}`,
  'assert-ref-snapshot-id': (table, { ref, 'snapshot-id': wanted }) => {
    const name = plainText(ref);
    const found = Object.hasOwn(table.refs, name) ? table.refs[name]?.['snapshot-id'] : undefined;
    if (wanted === null || wanted === undefined) return found === undefined ? undefined : `ref ${name} was created concurrently`;
    if (found === undefined) return `ref ${name} is missing, expected ${plainText(wanted)}`;
    return isSame(found, wanted) ? undefined : `ref ${name} has changed: expected id ${plainText(wanted)}, the table has ${found}`;
  },
  'assert-last-assigned-field-id': sameAs('last-column-id', 'last-assigned-field-id', 'last assigned field id'),
  'assert-current-schema-id': sameAs('current-schema-id', 'current-schema-id', 'current schema'),
  'assert-last-assigned-partition-id': sameAs('last-partition-id', 'last-assigned-partition-id', 'last assigned partition id'),
  'assert-default-spec-id': sameAs('default-spec-id', 'default-spec-id', 'default partition spec'),
  'assert-default-sort-order-id': sameAs('default-sort-order-id', 'default-sort-order-id', 'default sort order'),
};

/**
 * @param table absent: the table does not exist.
 * @throws CatalogError 400 for a requirement that is not known, 409 for one that is not met, 404 without a table.
 */
export function checkRequirements(table: TableMetadata | undefined, requirements: readonly JsonObject[], name: string): void {
  for (const { type } of requirements)
    if (!Object.hasOwn(checks, plainText(type)))
      throw new CatalogError(400, 'BadRequestException', `the requirement ${JSON.stringify(type)} is not known`);
  const creates = requirements.some(({ type }) => type === 'assert-create');
  if (!table && !creates) throw new CatalogError(404, 'NoSuchTableException', `Table does not exist: ${name}`);
  if (!table) return;
  for (const requirement of requirements) {
    const failure = checks[plainText(requirement['type'])]?.(table, requirement);
    if (failure === undefined) continue;
    const type = requirement['type'] === 'assert-create' ? 'AlreadyExistsException' : 'CommitFailedException';
    throw new CatalogError(409, type, `Requirement failed: ${failure} (${name})`);
  }
}
