/** The key table of the documentation, generated from the declarations. */
import type { ConfigKey, ConfigSection } from '@srv/kernel';

export interface ReferenceRow {
  readonly key: string;
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
  readonly plugin: string;
}

/** One row per key, sections in the order given. */
export function referenceRows(sections: readonly ConfigSection[]): ReferenceRow[] {
  return sections.flatMap(({ plugin, keys }) =>
    Object.entries(keys).map(([name, key]) => ({ key: name, type: key.type, default: defaultText(key), meaning: key.meaning, plugin })),
  );
}

/** The same as a Markdown table. */
export function referenceTable(rows: readonly ReferenceRow[]): string {
  const lines = rows.map(row => `| ${row.key} | ${row.type.replaceAll('|', '\\|')} | ${row.default} | ${row.meaning} |`);
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

function defaultText(key: ConfigKey): string {
  if (key.defaultText !== undefined) return key.defaultText;
  if (key.required === true) return '(req)';
  if (key.default === undefined) return '-';
  return Array.isArray(key.default) || typeof key.default === 'object'
    ? JSON.stringify(key.default)
    : String(key.default as string | number | boolean);
}
