/** BranchData and TagData (io.treeverse.lakefs.graveler). */
import { ProtoReader, ProtoWriter, readFields } from '@srv/lib-records';
import { foldedRows } from '../folded-rows.js';
import type { Branch, FoldedRows, Tag } from '../contract.js';

/** A branch with the fields this release does not know, so that mixed releases can share a store. */
export interface StoredBranch extends Branch {
  readonly unknown: readonly Buffer[];
}

/** Of this product alone: far from the fields that other programs may add. */
const [instanceUidField, storageEpochField, foldedField, headMoveField] = [100, 101, 102, 103] as const;

export function encodeBranch(branch: StoredBranch): Buffer {
  return new ProtoWriter()
    .string(1, branch.id)
    .string(2, branch.commitId)
    .string(3, branch.stagingToken)
    .strings(4, branch.sealedTokens)
    .bool(5, branch.hidden)
    .string(instanceUidField, branch.instanceUid ?? '')
    .int(storageEpochField, branch.storageEpoch ?? 0)
    .message(foldedField, encodeFolded(foldedRows(branch)))
    .string(headMoveField, branch.headMove ?? '')
    .raw(branch.unknown)
    .finish();
}

export function decodeBranch(bytes: Buffer): StoredBranch {
  const found = { id: '', commitId: '', stagingToken: '', sealedTokens: [] as string[], hidden: false, unknown: [] as Buffer[] };
  let instanceUid = '';
  let storageEpoch = 0;
  let headMove = '';
  let folded: FoldedRows | undefined;
  const reader = new ProtoReader(bytes, 'branch record');
  while (reader.next()) {
    const { field } = reader;
    if (field === 1) found.id = reader.text;
    else if (field === 2) found.commitId = reader.text;
    else if (field === 3) found.stagingToken = reader.text;
    else if (field === 4) found.sealedTokens.push(reader.text);
    else if (field === 5) found.hidden = reader.int !== 0;
    else if (field === instanceUidField) instanceUid = reader.text;
    else if (field === storageEpochField) storageEpoch = reader.int;
    else if (field === foldedField) folded = decodeFolded(reader.bytes);
    else if (field === headMoveField) headMove = reader.text;
    else found.unknown.push(reader.raw);
  }
  return {
    ...found,
    ...(instanceUid === '' ? {} : { instanceUid }),
    ...(storageEpoch === 0 ? {} : { storageEpoch }),
    ...(folded && { folded }),
    ...(headMove === '' ? {} : { headMove }),
  };
}

function encodeFolded(folded: FoldedRows | undefined): Buffer | undefined {
  return folded && new ProtoWriter().string(1, folded.token).string(2, folded.commitId).string(3, folded.metarangeId).finish();
}

function decodeFolded(bytes: Buffer): FoldedRows {
  const found = { token: '', commitId: '', metarangeId: '' };
  const reader = new ProtoReader(bytes, 'folded rows of a branch record');
  while (reader.next()) {
    if (reader.field === 1) found.token = reader.text;
    else if (reader.field === 2) found.commitId = reader.text;
    else if (reader.field === 3) found.metarangeId = reader.text;
  }
  return found;
}

export function encodeTag({ id, commitId }: Tag): Buffer {
  return new ProtoWriter().string(1, id).string(2, commitId).finish();
}

export function decodeTag(bytes: Buffer): Tag {
  const found = { id: '', commitId: '' };
  for (const { field, bytes: value } of readFields(bytes, 'tag record')) {
    if (field === 1) found.id = value.toString('utf8');
    else if (field === 2) found.commitId = value.toString('utf8');
  }
  return found;
}
