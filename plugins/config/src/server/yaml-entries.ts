/** Turns a YAML document into configuration entries that know their line. */

import { SrvError } from '@srv/kernel';
import { LineCounter, isAlias, isMap, isScalar, parseDocument } from 'yaml';
import type { ConfigEntry, ConfigKeys } from '@srv/kernel';
import type { Document, Node, YAMLMap } from 'yaml';

export interface KnownKeys {
  /** Lower-case spelling, aliases included, to key. */
  readonly names: ReadonlyMap<string, string>;
  readonly keys: ConfigKeys;
}

/**
 * Every leaf of a YAML text as an entry; keys in lower case, unknown ones included, so that the one who decodes them
 * can say what was meant. A key of a map type is a leaf with its whole map. `logging.level: INFO` in one line is the
 * same as the nested form.
 * @param label what messages call the file, such as `config.yaml`.
 * @throws SrvError `config` with file, line and column for text that is not a YAML map and for a key set twice.
 */
export function yamlEntries(text: string, label: string, { names, keys }: KnownKeys): ConfigEntry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new SrvError('config', `${label}:${line}:${col}: ${describe(fault.code, fault.message)}`);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents))
    throw new SrvError(
      'config',
      `${label}:${lineOf(contents.range[0])}: the file must be a map of keys, such as "logging: { level: INFO }"`,
    );

  const sections = sectionNames(names);
  const entries: ConfigEntry[] = [];
  const firstLine = new Map<string, number>();
  const visit = (map: YAMLMap, path: string): void => {
    for (const { key, value } of map.items) {
      const spelled = path + String(isScalar(key) ? key.value : key).toLowerCase();
      const line = lineOf(offsetOf(key));
      const node = resolve(value, document);
      const name = names.get(spelled);
      const isMapKey = name !== undefined && keys[name]?.type.startsWith('map[') === true;
      if (isMap(node) && !isMapKey) {
        visit(node, `${spelled}.`);
        continue;
      }
      const raw: unknown = node === null || node === undefined ? null : (node as Node).toJS(document);
      if (raw === null && sections.has(spelled)) continue;
      const earlier = firstLine.get(name ?? spelled);
      if (earlier !== undefined)
        throw new SrvError('config', `${label}:${line}: ${spelled} is set twice, first in line ${earlier}; remove one`);
      firstLine.set(name ?? spelled, line);
      entries.push({ key: spelled, raw, source: `${label}:${line}` });
    }
  };
  visit(contents, '');
  return entries;
}

/** `a`, `a.b` for a key `a.b.c`: these may be in a file without a value. */
function sectionNames(names: ReadonlyMap<string, string>): Set<string> {
  const sections = new Set<string>();
  for (const name of names.keys()) {
    for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) sections.add(name.slice(0, dot));
  }
  return sections;
}

function resolve(value: unknown, document: Document): unknown {
  return isAlias(value) ? value.resolve(document) : value;
}

function offsetOf(key: unknown): number {
  return (key as Partial<Node> | null)?.range?.[0] ?? 0;
}

function describe(code: string, message: string): string {
  return code === 'DUPLICATE_KEY' ? 'a key is set twice in one map; remove one' : message;
}
