/** The file of `srv kv dump` (versioning rules, section 2.8): one JSON document, values in base64. */
import { SrvError, messageOf } from '@srv/kernel';

export const dumpVersion = '1.0';

export interface DumpEntry {
  readonly partition: string;
  readonly key: string;
  /** Base64. */
  readonly value: string;
}

/** What a section of a dump holds. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  auth: ['auth', 'basicAuth', 'aclauth'],
  pulls: ['pulls'],
  kv: ['kv-internal-metadata'],
};

/**
 * Partitions of the named sections, in order, each once.
 * @throws SrvError `invalid` for an unknown section.
 */
export function partitionsOf(names: readonly string[]): string[] {
  const found = names.flatMap(name => {
    const partitions = sections[name];
    if (!partitions) throw new SrvError('invalid', `section ${JSON.stringify(name)} is none of ${Object.keys(sections).join(', ')}`);
    return partitions;
  });
  return [...new Set(found)];
}

/** @throws SrvError `invalid` that says what is wrong with the file. */
export function parseDump(text: string, file: string): DumpEntry[] {
  const wrong = (what: string): SrvError => new SrvError('invalid', `${file} is no dump of key-value records: ${what}`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw wrong(messageOf(error));
  }
  const { version, entries } = (document ?? {}) as { version?: unknown; entries?: unknown };
  if (version !== dumpVersion) throw wrong(`its version is ${JSON.stringify(version)}, not "${dumpVersion}"`);
  if (!Array.isArray(entries)) throw wrong('it has no list "entries"');
  return entries.map((entry: unknown, i) => {
    const { partition, key, value } = (entry ?? {}) as Partial<Record<keyof DumpEntry, unknown>>;
    if (typeof partition !== 'string' || typeof key !== 'string' || partition === '' || key === '')
      throw wrong(`entry ${i + 1} has no partition and key`);
    if (typeof value !== 'string' || Buffer.from(value, 'base64').toString('base64') !== value)
      throw wrong(`the value of entry ${i + 1} (${partition} ${key}) is not base64`);
    return { partition, key, value };
  });
}
