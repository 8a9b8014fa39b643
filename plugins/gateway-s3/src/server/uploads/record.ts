/** The record of a multipart upload (the S3 gateway sheet, section 7). Fields from 7 on are this product's own. */
import {
  ProtoWriter,
  dateOf,
  readFields,
  readMapEntry,
  readTimestamp,
  timestampOf,
  unknownFieldsOf,
  withUnknownFields,
} from '@srv/lib-records';
import { decodeEnding, encodeEnding } from './ending.js';
import type { Ending } from './ending.js';

const known = new Set(Array.from({ length: 14 }, (_, before) => before + 1));

/** What an upload has become; kept for a while, so that a repeated request gets the same answer. */
export interface CompletedRecord {
  readonly etag: string;
  readonly at: Date;
  /** Digest of what it was completed with; empty in records of earlier releases. */
  readonly list: string;
  /** Metadata that keeps the checksum of the object. */
  readonly kept: Readonly<Record<string, string>>;
}

export interface UploadRecord {
  readonly uploadId: string;
  /** Without the ref. */
  readonly path: string;
  readonly createdAt: Date;
  /** Relative to the repository's namespace; empty once the upload is completed. */
  readonly address: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** Empty in records of other programs. */
  readonly repository: string;
  readonly ref: string;
  /** Of the repository and the branch, see `identity.ts`; empty in records of earlier releases. */
  readonly repositoryUid: string;
  readonly branchUid: string;
  /** As in the header's name, such as `crc32`; empty if none was requested. */
  readonly checksumAlgorithm: string;
  /** How those of the parts are joined; empty without an algorithm. */
  readonly checksumType: string;
  readonly completed?: CompletedRecord | undefined;
  /** Set once a request begins to complete or abort it. */
  readonly ending?: Ending | undefined;
}

export function encodeUpload(upload: UploadRecord): Buffer {
  const { completed, ending } = upload;
  return new ProtoWriter()
    .string(1, upload.uploadId)
    .string(2, upload.path)
    .timestamp(3, timestampOf(upload.createdAt))
    .string(4, upload.address)
    .map(5, upload.metadata)
    .string(6, upload.contentType)
    .string(7, upload.repository)
    .string(8, upload.ref)
    .string(9, upload.checksumAlgorithm)
    .message(10, completed && encodeCompleted(completed))
    .string(11, upload.checksumType)
    .message(12, ending && encodeEnding(ending))
    .string(13, upload.repositoryUid)
    .string(14, upload.branchUid)
    .raw(unknownFieldsOf(upload))
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeUpload(bytes: Buffer): UploadRecord {
  const what = 'multipart upload record';
  const text: string[] = [];
  const metadata: [string, string][] = [];
  let createdAt = new Date(0);
  let completed: CompletedRecord | undefined;
  let ending: Ending | undefined;
  for (const { field, bytes: value } of readFields(bytes, what)) {
    if (field === 3) createdAt = dateOf(readTimestamp(value, what));
    else if (field === 5) metadata.push(readMapEntry(value, what));
    else if (field === 10) completed = decodeCompleted(value, what);
    else if (field === 12) ending = decodeEnding(value, what);
    else text[field] = value.toString('utf8');
  }
  const upload = {
    uploadId: text[1] ?? '',
    path: text[2] ?? '',
    createdAt,
    address: text[4] ?? '',
    metadata: Object.fromEntries(metadata),
    contentType: text[6] ?? '',
    repository: text[7] ?? '',
    ref: text[8] ?? '',
    checksumAlgorithm: text[9] ?? '',
    checksumType: text[11] ?? '',
    repositoryUid: text[13] ?? '',
    branchUid: text[14] ?? '',
    completed,
    ending,
  };
  return withUnknownFields(upload, bytes, known);
}

function encodeCompleted({ etag, at, list, kept }: CompletedRecord): Buffer {
  return new ProtoWriter().string(1, etag).timestamp(2, timestampOf(at)).string(3, list).map(4, kept).finish();
}

function decodeCompleted(bytes: Buffer, what: string): CompletedRecord {
  let etag = '';
  let at = new Date(0);
  let list = '';
  const kept: [string, string][] = [];
  for (const { field, bytes: value } of readFields(bytes, what)) {
    if (field === 1) etag = value.toString('utf8');
    else if (field === 2) at = dateOf(readTimestamp(value, what));
    else if (field === 3) list = value.toString('utf8');
    else if (field === 4) kept.push(readMapEntry(value, what));
  }
  return { etag, at, list, kept: Object.fromEntries(kept) };
}
