/** Shards: which chunks of which xorbs a file consists of. */
import { HubError } from '../errors.js';

/** Chunks `first` to `end` (exclusive) of a xorb. */
export interface Segment {
  /** In hexadecimal digits, as URLs have it. */
  readonly xorb: string;
  /** Of the content. */
  readonly bytes: number;
  readonly first: number;
  readonly end: number;
}

export interface ShardFile {
  readonly sha256: string;
  readonly segments: readonly Segment[];
}

const entryBytes = 48;
const tag = Buffer.from('HFRepoMetaData\0', 'latin1');
const version = 2n;
const [withVerification, withMetadata] = [0x8000_0000, 0x4000_0000];
/** Files of a shard. */
const mostFiles = 10_000;

/** @throws HubError 400 for what is not a shard, and for files without their SHA-256. */
export function readShard(bytes: Buffer): readonly ShardFile[] {
  if (bytes.length < entryBytes || !bytes.subarray(0, tag.length).equals(tag) || bytes.readBigUInt64LE(32) !== version)
    throw new HubError(400, `the shard does not begin as one of version ${version}`);
  const files: ShardFile[] = [];
  let at = entryBytes;
  const next = (): Buffer => {
    const entry = bytes.subarray(at, at + entryBytes);
    if (entry.length < entryBytes) throw new HubError(400, 'the shard ends within its files');
    at += entryBytes;
    return entry;
  };
  for (;;) {
    const entry = next();
    if (entry.subarray(0, 32).every(byte => byte === 0xff)) return files;
    if (files.length === mostFiles) throw new HubError(400, `the shard has more than ${mostFiles} files`);
    const flags = entry.readUInt32LE(32);
    const segments: Segment[] = [];
    for (let count = entry.readUInt32LE(36); count > 0; count--) segments.push(segmentOf(next()));
    if ((flags & withVerification) !== 0) for (let count = segments.length; count > 0; count--) next();
    if ((flags & withMetadata) === 0) throw new HubError(400, 'the shard has a file without its SHA-256');
    files.push({ sha256: hexOf(next().subarray(0, 32)), segments });
  }
}

function segmentOf(entry: Buffer): Segment {
  const [bytes, first, end] = [entry.readUInt32LE(36), entry.readUInt32LE(40), entry.readUInt32LE(44)];
  if (first >= end) throw new HubError(400, 'the shard has a part of a file without chunks');
  return { xorb: hexOf(entry.subarray(0, 32)), bytes, first, end };
}

/** Hashes are four numbers of 64 bits: the digits show each from its highest byte. */
function hexOf(hash: Buffer): string {
  return [0, 8, 16, 24].map(at => hash.readBigUInt64LE(at).toString(16).padStart(16, '0')).join('');
}
