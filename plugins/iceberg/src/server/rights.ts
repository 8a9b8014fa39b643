/** Permissions of the catalog. They name no branch: a table is the same on all of them. */
import type { Permission } from '@srv/kernel';
import type { NamespacePlace, TablePlace } from './names.js';

type NamespaceAction = 'CreateNamespace' | 'GetNamespace' | 'ListNamespaces' | 'UpdateNamespace' | 'DeleteNamespace' | 'ListTables';
type TableAction = 'CreateTable' | 'ReadTable' | 'UpdateTable' | 'DeleteTable';

const arn = 'arn:lakefs:catalog:::';

export function onNamespace(
  action: NamespaceAction,
  { repository, namespace }: Pick<NamespacePlace, 'repository' | 'namespace'>,
): Permission {
  return { action: `catalog:${action}`, resource: `${arn}namespace/${repository}/${namespace.join('.')}` };
}

export function onTable(action: TableAction, { repository, namespace, table }: TablePlace): Permission {
  return { action: `catalog:${action}`, resource: `${arn}table/${repository}/${namespace.join('.')}/${table}` };
}

/** On every table of a repository. */
export function onAllTables(action: TableAction, repository: string): Permission {
  return { action: `catalog:${action}`, resource: `${arn}table/${repository}/`, everyBelow: true };
}
