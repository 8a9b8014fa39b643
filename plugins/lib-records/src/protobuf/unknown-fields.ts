/**
 * Fields of a record that this release does not know: they stay when it changes the record, so that servers of several releases can
 * share a database. They go along with the decoded value, and with every copy of it made by spreading, without being one of its members.
 */
import { ProtoReader } from './proto.js';

const unknown = Symbol('fields of a newer release');

interface Carrier {
  readonly [unknown]?: readonly Buffer[];
}

/**
 * A decoded value with those fields of its message that are not known.
 * @param known numbers of the fields that the value holds, and of those that are not to be kept.
 * @throws SrvError `corrupt`.
 */
export function withUnknownFields<T extends object>(value: T, message: Buffer, known: ReadonlySet<number>): T {
  const found: Buffer[] = [];
  const reader = new ProtoReader(message, 'a stored record');
  while (reader.next()) if (!known.has(reader.field)) found.push(reader.raw);
  return found.length === 0 ? value : { ...value, [unknown]: found };
}

/** For `ProtoWriter.raw`: the fields that a value has from its message. */
export function unknownFieldsOf(value: object): readonly Buffer[] {
  return (value as Carrier)[unknown] ?? [];
}

/** A value that replaces `old`, with the fields of `old` that are not known. */
export function carryUnknownFields<T>(old: T, next: T): T {
  if (typeof old !== 'object' || old === null || typeof next !== 'object' || next === null) return next;
  const fields = unknownFieldsOf(old);
  return fields.length === 0 ? next : { ...next, [unknown]: fields };
}
