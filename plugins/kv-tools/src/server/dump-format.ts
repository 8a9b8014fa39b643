/** The file of `srv kv dump` (versioning rules, section 2.8): one JSON document, values in base64. */
import { SrvError, messageOf } from '@srv/kernel';

const dumpVersion = '1.0';

export interface DumpEntry {
  readonly partition: string;
  readonly key: string;
  /** Base64. */
  readonly value: string;
}

/** What a section of a dump holds. */
const sections: Readonly<Record<string, readonly string[]>> = {
  auth: ['auth', 'basicAuth', 'aclauth'],
  pulls: ['pulls'],
  kv: ['kv-internal-metadata'],
};

/** Partitions of existing installations whose records no plugin here writes yet. */
export const foreignPartitions: readonly string[] = ['aclauth', 'actions', 'usage', 'mc-ownership'];

/**
 * Partitions of the named sections, in order, each once.
 * @throws SrvError `invalid` for an unknown section.
 */
export function partitionsOf(names: readonly string[]): string[] {
  const found = names.flatMap(name => {
    const partitions = sections[name];
    if (!partitions) throw new SrvError('invalid', `section ${JSON.stringify(name)} is not one of ${Object.keys(sections).join(', ')}`);
    return partitions;
  });
  return [...new Set(found)];
}

/** Beginning and end of the files that are written here: between them lies one record a line. */
export const head = (timestamp: Date): string => `{"version":"${dumpVersion}","timestamp":"${timestamp.toISOString()}","entries":[`;
export const tail = ']}';
export const isHead = (line: string): boolean => /^\{"version":"1\.0","timestamp":"[^"]*","entries":\[$/.test(line);

/** @throws SrvError `invalid` that says what is wrong with the file. */
export function parseDump(text: string, file: string): DumpEntry[] {
  const document = parsed(text, file);
  const { version, entries } = (document ?? {}) as { version?: unknown; entries?: unknown };
  if (version !== dumpVersion) throw wrong(file, `its version is ${JSON.stringify(version)}, not "${dumpVersion}"`);
  if (!Array.isArray(entries)) throw wrong(file, 'it has no list "entries"');
  return entries.map((entry: unknown, i) => checkEntry(entry, i + 1, file));
}

/** One line of a file that was written here. @throws SrvError `invalid` as {@link parseDump}. */
export function parseLine(line: string, number: number, file: string): DumpEntry {
  return checkEntry(parsed(line.replace(/,$/, ''), file), number, file);
}

export function wrong(file: string, what: string): SrvError {
  return new SrvError('invalid', `${file} is not a dump of key-value records: ${what}`);
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong(file, messageOf(error));
  }
}

function checkEntry(entry: unknown, number: number, file: string): DumpEntry {
  const { partition, key, value } = (entry ?? {}) as Partial<Record<keyof DumpEntry, unknown>>;
  if (typeof partition !== 'string' || typeof key !== 'string' || partition === '' || key === '')
    throw wrong(file, `entry ${number} has no partition and key`);
  if (typeof value !== 'string' || Buffer.from(value, 'base64').toString('base64') !== value)
    throw wrong(file, `the value of entry ${number} (${partition} ${key}) is not base64`);
  return { partition, key, value };
}
