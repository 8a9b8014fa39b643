/** CommitData (io.treeverse.lakefs.graveler) and the commit's id. */
import { setMember } from '@srv/kernel';
import { ProtoWriter, dateOf, readFields, readMapEntry, readTimestamp, timestampOf } from '@srv/lib-records';
import { IdentityHash } from '../../tables/format/index.js';
import type { Timestamp } from '@srv/lib-records';
import type { Commit } from '../contract.js';

/** Version of newly made commits: parents are stored destination first. */
export const commitVersion = 1;

const nanosPerMs = 1_000_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function encodeCommit(commit: Commit): Buffer {
  return new ProtoWriter()
    .string(1, commit.id)
    .string(2, commit.committer)
    .string(3, commit.message)
    .timestamp(4, preciseTime(commit))
    .string(5, commit.metarangeId)
    .map(6, commit.metadata)
    .strings(7, commit.parents)
    .int(8, commit.version)
    .int(9, commit.generation)
    .finish();
}

export function decodeCommit(bytes: Buffer): Commit {
  let found: Omit<Mutable<Commit>, 'metadata' | 'parents'> & { metadata: Record<string, string>; parents: string[] } = {
    id: '',
    committer: '',
    message: '',
    creationDate: new Date(0),
    metarangeId: '',
    metadata: {},
    parents: [],
    version: 0,
    generation: 0,
  };
  for (const { field, int, bytes: value } of readFields(bytes, 'commit record')) {
    if (field === 1) found.id = value.toString('utf8');
    else if (field === 2) found.committer = value.toString('utf8');
    else if (field === 3) found.message = value.toString('utf8');
    else if (field === 4) {
      const time = readTimestamp(value, 'commit record');
      const nanos = time.nanos % nanosPerMs;
      found = { ...found, creationDate: dateOf(time), ...(nanos === 0 ? {} : { creationNanos: nanos }) };
    } else if (field === 5) found.metarangeId = value.toString('utf8');
    else if (field === 6) {
      const [key, text] = readMapEntry(value, 'commit record');
      setMember(found.metadata, key, text);
    } else if (field === 7) found.parents.push(value.toString('utf8'));
    else if (field === 8) found.version = int;
    else if (field === 9) found.generation = int;
  }
  return found;
}

function preciseTime({ creationDate, creationNanos = 0 }: Commit): Timestamp {
  const { seconds, nanos } = timestampOf(creationDate);
  return { seconds, nanos: nanos + creationNanos };
}

/** Content id: generation, version and fractions of a second do not count. 64 lower-case hexadecimal characters. */
export function commitId(commit: Omit<Commit, 'id' | 'version' | 'generation'>): string {
  return new IdentityHash()
    .string('commit:v1')
    .string(commit.committer)
    .string(commit.message)
    .string(commit.metarangeId)
    .int64(Math.floor(commit.creationDate.getTime() / 1000))
    .map(commit.metadata)
    .nested(new IdentityHash().strings(commit.parents).digest())
    .digest()
    .toString('hex');
}

/** The commit its branch was at before; empty: none. Merges of the first version are stored the other way round. */
export function mainParentOf({ parents, version }: Pick<Commit, 'parents' | 'version'>): string {
  return (version === 0 ? parents.at(-1) : parents[0]) ?? '';
}
