/** Policies and groups of a new installation, and the statements of the four group permissions. */
import type { AclPermission, Statement } from './model.js';

const onEverything = (...action: string[]): Statement => ({ effect: 'allow', action, resource: '*' });

const readObjects = ['fs:List*', 'fs:Read*'];
const writeObjects = [
  'fs:Read*',
  'fs:List*',
  'fs:WriteObject',
  'fs:DeleteObject',
  'fs:RevertBranch',
  'fs:CreateBranch',
  'fs:CreateTag',
  'fs:DeleteBranch',
  'fs:DeleteTag',
  'fs:CreateCommit',
];
const readManagement = ['ci:Read*', 'retention:Get*', 'branches:Get*', 'pr:Read*', 'pr:List*', 'fs:ReadConfig'];
const readCatalog = [
  'catalog:ListNamespaces',
  'catalog:GetNamespace',
  'catalog:ListTables',
  'catalog:ReadTable',
  'catalog:ListViews',
  'catalog:ReadView',
];
const ownCredentials: Statement = {
  effect: 'allow',
  action: ['auth:CreateCredentials', 'auth:DeleteCredentials', 'auth:ListCredentials', 'auth:ReadCredentials'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the policy language
  resource: 'arn:lakefs:auth:::user/${user}',
};

/** Policy name → statements, in mode `internal`. */
export const presetPolicies: Readonly<Record<string, readonly Statement[]>> = {
  FSFullAccess: [onEverything('fs:*')],
  FSReadWriteAll: [onEverything(...writeObjects)],
  FSReadAll: [onEverything(...readObjects)],
  RepoManagementFullAccess: [onEverything('ci:*', 'retention:*', 'branches:*', 'pr:*', 'fs:ReadConfig')],
  RepoManagementReadAll: [onEverything(...readManagement)],
  PRReadWriteAll: [onEverything('pr:*')],
  CatalogReadAll: [onEverything(...readCatalog)],
  CatalogReadWriteAll: [onEverything('catalog:*')],
  AuthFullAccess: [onEverything('auth:*')],
  AuthManageOwnCredentials: [ownCredentials],
};

/** Group → attached policies, in mode `internal`. */
export const presetGroups: Readonly<Record<string, readonly string[]>> = {
  Admins: ['FSFullAccess', 'CatalogReadWriteAll', 'AuthFullAccess', 'RepoManagementFullAccess'],
  SuperUsers: ['FSFullAccess', 'CatalogReadWriteAll', 'AuthManageOwnCredentials', 'RepoManagementReadAll'],
  Developers: ['FSReadWriteAll', 'PRReadWriteAll', 'CatalogReadWriteAll', 'AuthManageOwnCredentials', 'RepoManagementReadAll'],
  Viewers: ['FSReadAll', 'CatalogReadAll', 'AuthManageOwnCredentials'],
};

/** Permission of a group → statements, in mode `simplified`. */
export const aclStatements: Readonly<Record<AclPermission, readonly Statement[]>> = {
  Read: [onEverything(...readObjects), onEverything('fs:ReadConfig'), ownCredentials],
  Write: [onEverything(...writeObjects), ownCredentials, onEverything(...readManagement)],
  Super: [onEverything('fs:*'), ownCredentials, onEverything(...readManagement)],
  Admin: [onEverything('fs:*', 'auth:*', 'ci:*', 'retention:*', 'branches:*', 'pr:*')],
};

/** Group → permission, in mode `simplified`. */
export const presetAcls: Readonly<Record<string, AclPermission>> = { Admins: 'Admin', Supers: 'Super', Writers: 'Write', Readers: 'Read' };

/** The group whose members administer the installation, in every mode with groups. */
export const administrators = 'Admins';
