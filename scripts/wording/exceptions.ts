/** Places where a word of the list is right. */
export interface Exception {
  readonly file: string;
  /** Text of the file around the word. */
  readonly text: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [];

/** Beginnings of paths that are not checked yet. */
export const pending: readonly string[] = [
  'cli/',
  'plugins/actions/',
  'plugins/auth-claims/',
  'plugins/auth-external/',
  'plugins/auth-principals/',
  'plugins/auth-remote/',
  'plugins/auth/',
  'plugins/block-azure/',
  'plugins/block-gs/',
  'plugins/block-local/',
  'plugins/block-s3/',
  'plugins/branch-protection/',
  'plugins/config/',
  'plugins/doctor/',
  'plugins/email/',
  'plugins/hook-airflow/',
  'plugins/hook-lua/',
  'plugins/hook-webhook/',
  'plugins/import/',
  'plugins/kv-cosmosdb/',
  'plugins/kv-dynamodb/',
  'plugins/kv-local/',
  'plugins/kv-postgres/',
  'plugins/kv-tools/',
  'plugins/local/',
  'plugins/logging/',
  'plugins/metastore/',
  'plugins/metrics/',
  'plugins/notices/',
  'plugins/sql/',
  'plugins/stats/',
  'plugins/ui/',
  'plugins/usage/',
  'scripts/',
  'test/',
];
