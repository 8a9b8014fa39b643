/** Options every command understands, wherever they stand on the line. */
import { formats } from '@srv/lib-commands';
import type { CommandOption } from '@srv/lib-commands';

export const globalOptions: readonly CommandOption[] = [
  { name: 'base-uri', type: 'string', description: 'base URI used for addresses without srv:// (env CLI_BASE_URI)' },
  { name: 'config', short: 'c', type: 'string', description: 'configuration file (default $HOME/.cli.yaml, env CLI_CONFIG_FILE)' },
  { name: 'log-format', type: 'string', choices: ['text', 'json'], description: 'format of log lines' },
  { name: 'log-level', type: 'string', default: 'none', description: 'log level: trace, debug, info, warn, error or none' },
  { name: 'log-output', type: 'list', description: 'where to log: - standard output, = standard error, or a file' },
  { name: 'no-color', type: 'bool', default: false, description: 'do not use colours (env NO_COLOR)' },
  { name: 'output', short: 'o', type: 'string', choices: formats, description: 'output format: json, yaml, name or table' },
  { name: 'verbose', type: 'bool', default: false, description: 'show more details' },
];

/** One line per group of commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  actions: 'Run, check and look at the hooks of action files',
  'actions runs': 'Look at runs of hooks',
  abuse: 'Put load on a server',
  auth: 'Manage users, groups, policies and credentials',
  'auth groups': 'Manage groups',
  'auth groups acl': "Manage groups' permissions",
  'auth groups members': 'Manage the users of a group',
  'auth groups policies': 'Manage the policies of a group',
  'auth password': 'Replace a forgotten password',
  'auth policies': 'Manage policies',
  'auth users': 'Manage users',
  'auth users aws-iam': 'Manage the AWS identities of a user',
  'auth users credentials': 'Manage access keys',
  'auth users groups': 'Manage the groups of a user',
  'auth users policies': 'Manage the policies of a user',
  'auth users sessions': 'End the sessions of a user',
  bisect: 'Find the commit that made things bad',
  branch: 'Create, list and manage branches',
  'branch-protect': 'Create and manage branch protection rules',
  fs: 'View and manipulate objects',
  gc: 'Run garbage collection and look at its runs',
  iceberg: 'Look at Iceberg tables, compare them and roll them back',
  lifecycle: 'Have branches and objects expire, and look at what was removed',
  local: 'Keep a folder and a path of a branch in step',
  metastore: 'Copy and compare tables of Hive and Glue',
  plugin: 'Manage plugins of this tool',
  pr: 'Open, discuss, approve and merge pull requests',
  repo: 'Manage repositories',
  show: 'Show detailed information about an entity',
  tag: 'Create and manage tags',
  usage: 'Look at how much the server is used',
};
