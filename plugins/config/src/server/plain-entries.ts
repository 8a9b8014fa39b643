/** Reads the settings files that most people have, sections of plain words, without the YAML library, which takes longer to load. */

import type { ConfigEntry } from '@srv/kernel';
import type { KnownKeys } from './yaml-entries.js';

/** A key alone, or with one word; a comment after the word is not plain. */
const linePattern = /^( *)([a-z][a-z0-9_.]*):(?: ([\w/+=@.:-]+))? *$/i;

/** What YAML reads as something else than text: numbers, `true`, `null`, document marks; and a colon at the end begins a map. */
const otherPattern = /^(?:[.+-]*\d[\d.eExXoOa-fA-F+-]*|true|false|null|[.:+=@-].*|.*:)$/i;

interface Section {
  readonly path: string;
  /** Of its keys; absent: it has none yet. */
  indent?: number;
}

const isEmpty = (section: Section | undefined): boolean => section !== undefined && section.indent === undefined;

/**
 * The same as `yamlEntries`, for a text of sections with one level of keys, each with one plain word.
 * @returns `undefined` for every other text, right or wrong: `yamlEntries` reads it, or says what is the matter.
 */
export function plainEntries(text: string, label: string, { names, keys }: KnownKeys): ConfigEntry[] | undefined {
  const entries = new Map<string, ConfigEntry>();
  const sections = new Set<string>();
  let section: Section | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    if (/^ *(?:#|$)/.test(line)) continue;
    const [, { length: indent } = '', key = '', value] = linePattern.exec(line) ?? [];
    if (key === '' || (value !== undefined && otherPattern.test(value))) return undefined;
    if (indent === 0) {
      if (isEmpty(section)) return undefined;
      section = undefined;
    } else {
      if (section === undefined || value === undefined || indent !== (section.indent ?? indent)) return undefined;
      section.indent = indent;
    }
    const path = ((section?.path ?? '') + key).toLowerCase();
    if (keys[names.get(path) ?? '']?.type.startsWith('map[') === true) return undefined;
    if (value === undefined) {
      if (sections.has(path) || entries.has(path)) return undefined;
      sections.add(path);
      section = { path: `${path}.` };
      continue;
    }
    const name = names.get(path) ?? path;
    if (entries.has(name) || sections.has(path)) return undefined;
    entries.set(name, { key: path, raw: value, source: `${label}:${at + 1}` });
  }
  return isEmpty(section) ? undefined : [...entries.values()];
}
