/** Permissions of the catalog. They name no branch: a table is the same on all of them. */
import type { Permission } from '@srv/kernel';
import type { NamespacePlace, TablePlace, ViewPlace } from './names.js';

type NamespaceAction =
  | 'CreateNamespace'
  | 'GetNamespace'
  | 'ListNamespaces'
  | 'UpdateNamespace'
  | 'DeleteNamespace'
  | 'ListTables'
  | 'ListViews';
type TableAction = 'CreateTable' | 'ReadTable' | 'UpdateTable' | 'DeleteTable';

type ViewAction = 'CreateView' | 'ReadView' | 'UpdateView' | 'DeleteView';

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

export function onView(action: ViewAction, { repository, namespace, view }: ViewPlace): Permission {
  return { action: `catalog:${action}`, resource: `${arn}view/${repository}/${namespace.join('.')}/${view}` };
}

/** With the credentials that the server has for another catalog. */
export function onRemote(action: 'PushTable' | 'PullTable', id: string): Permission {
  return { action: `catalog:${action}`, resource: `${arn}remote/${id}` };
}

/** On every table of a repository. */
export function onAllTables(action: TableAction, repository: string): Permission {
  return { action: `catalog:${action}`, resource: `${arn}table/${repository}/`, everyBelow: true };
}
