/** Entry (package engine): what is stored for an object, and its identity (committed format, sections 7.3 and 8.2). */
import { setMember } from '@srv/kernel';
import { ProtoReader, ProtoWriter, timeOf, timestampOf } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { IdentityHash } from '../tables/format/index.js';
import { checksumKey } from './metadata.js';
import type { Timestamp } from '@srv/lib-records';
import type { IdentifierType } from '@srv/lib-stores/block';
import type { StoredValue } from '../refs/contract.js';

export interface EntryRecord {
  readonly address: string;
  readonly addressType: IdentifierType;
  readonly lastModified: Date;
  /** Nanoseconds beyond its millisecond. Default: 0. */
  readonly lastModifiedNanos?: number;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** May be empty. */
  readonly contentType: string;
}

/** Milliseconds: the years 1 to 9999. Clients fail on a whole listing when one of its dates lies outside; entries may have any. */
const [firstTime, lastTime] = [-62_135_596_800_000, 253_402_300_799_999];
const addressTypes = Object.values(identifierType);
const nanosPerMs = 1_000_000;

export function encodeEntry(entry: EntryRecord): StoredValue {
  const data = new ProtoWriter()
    .string(1, entry.address)
    .timestamp(2, preciseTime(entry))
    .int(3, entry.size)
    .string(4, entry.etag)
    .map(5, entry.metadata)
    .int(6, entry.addressType)
    .string(7, entry.contentType)
    .finish();
  return { identity: entryIdentity(entry), data };
}

/** Equal for objects of equal content and user metadata, wherever they are stored and whenever they were written. */
export function entryIdentity({ size, etag, metadata, contentType }: EntryRecord): Buffer {
  const { [checksumKey]: _, ...described } = metadata;
  const hash = new IdentityHash().int64(size).string(etag).map(described);
  return (contentType === '' ? hash : hash.string(contentType)).digest();
}

/** @throws SrvError `corrupt`. */
export function decodeEntry(data: Buffer): EntryRecord {
  let address = '';
  let addressType: IdentifierType = identifierType.byPrefix;
  let lastModified: Date | undefined;
  let lastModifiedNanos = 0;
  let size = 0;
  let etag = '';
  const metadata: Record<string, string> = {};
  let contentType = '';
  const reader = new ProtoReader(data, 'entry');
  while (reader.next()) {
    const { field } = reader;
    if (field === 1) address = reader.text;
    else if (field === 2) {
      const time = reader.timestamp;
      lastModified = new Date(Math.min(Math.max(timeOf(time), firstTime), lastTime));
      lastModifiedNanos = time.nanos % nanosPerMs;
    } else if (field === 3) size = reader.int;
    else if (field === 4) etag = reader.text;
    else if (field === 5) {
      const [key, value] = reader.mapEntry;
      setMember(metadata, key, value);
    } else if (field === 6) addressType = addressTypes.find(type => type === reader.int) ?? identifierType.byPrefix;
    else if (field === 7) contentType = reader.text;
  }
  const precise = lastModifiedNanos === 0 ? {} : { lastModifiedNanos };
  return { address, addressType, lastModified: lastModified ?? new Date(0), ...precise, size, etag, metadata, contentType };
}

function preciseTime({ lastModified, lastModifiedNanos = 0 }: EntryRecord): Timestamp {
  const { seconds, nanos } = timestampOf(lastModified);
  return { seconds, nanos: nanos + lastModifiedNanos };
}
