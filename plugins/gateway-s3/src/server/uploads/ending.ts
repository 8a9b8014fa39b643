/** How an upload ends: which request is ending it, and its progress. Part of the record, so that every server knows. */
import { ProtoWriter, dateOf, readFields, readMapEntry, readTimestamp, timestampOf } from '@srv/lib-records';

/** What the block store made of the parts. */
export interface JoinedObject {
  readonly etag: string;
  readonly size: number;
  readonly lastModified: Date;
  /** Metadata that describes the content: its checksum, the sizes of its parts. */
  readonly kept: Readonly<Record<string, string>>;
}

export interface Ending {
  /** Of the request at work; empty when the last one gave up, so that the next need not wait. */
  readonly owner: string;
  /** Grows while the owner is alive. */
  readonly beat: number;
  /** Digest of what the upload is completed with. From the first join on, no other list can complete it. Empty: none has tried. */
  readonly list: string;
  /** The upload is aborted: nothing but that can follow. */
  readonly aborting: boolean;
  readonly joined?: JoinedObject | undefined;
  /** The entry may be on the branch: the object must stay. */
  readonly maybeStaged: boolean;
}

export function encodeEnding({ owner, beat, list, aborting, joined, maybeStaged }: Ending): Buffer {
  return new ProtoWriter()
    .string(1, owner)
    .int(2, beat)
    .string(3, list)
    .bool(4, aborting)
    .message(5, joined && encodeJoined(joined))
    .bool(6, maybeStaged)
    .finish();
}

export function decodeEnding(bytes: Buffer, what: string): Ending {
  let [owner, list, beat, aborting, maybeStaged] = ['', '', 0, false, false];
  let joined: JoinedObject | undefined;
  for (const { field, bytes: value, int } of readFields(bytes, what)) {
    if (field === 1) owner = value.toString('utf8');
    else if (field === 2) beat = int;
    else if (field === 3) list = value.toString('utf8');
    else if (field === 4) aborting = int === 1;
    else if (field === 5) joined = decodeJoined(value, what);
    else if (field === 6) maybeStaged = int === 1;
  }
  return { owner, beat, list, aborting, maybeStaged, joined };
}

function encodeJoined({ etag, size, lastModified, kept }: JoinedObject): Buffer {
  return new ProtoWriter().string(1, etag).int(2, size).timestamp(3, timestampOf(lastModified)).map(4, kept).finish();
}

function decodeJoined(bytes: Buffer, what: string): JoinedObject {
  let [etag, size, lastModified] = ['', 0, new Date(0)];
  const kept: [string, string][] = [];
  for (const { field, bytes: value, int } of readFields(bytes, what)) {
    if (field === 1) etag = value.toString('utf8');
    else if (field === 2) size = int;
    else if (field === 3) lastModified = dateOf(readTimestamp(value, what));
    else if (field === 4) kept.push(readMapEntry(value, what));
  }
  return { etag, size, lastModified, kept: Object.fromEntries(kept) };
}
