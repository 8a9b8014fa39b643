/** RepositoryData and RepoMetadata (io.treeverse.lakefs.graveler). */
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
import type { Repository } from '../contract.js';

/** Of this product alone: far from the fields that other programs may add. */
const [storageEpochField, frozenByField] = [100, 101] as const;
const known = new Set([1, 2, 3, 4, 5, 6, 7, 8, storageEpochField, frozenByField]);
const knownOfMetadata = new Set([1]);
const states = ['active', 'in_deletion'] as const;

export function encodeRepository(repository: Repository): Buffer {
  return new ProtoWriter()
    .string(1, repository.id)
    .string(2, repository.storageNamespace)
    .string(3, repository.defaultBranch)
    .timestamp(4, timestampOf(repository.creationDate))
    .int(5, states.indexOf(repository.state))
    .string(6, repository.instanceUid)
    .bool(7, repository.readOnly)
    .string(8, repository.storageId)
    .int(storageEpochField, repository.storageEpoch ?? 0)
    .string(frozenByField, repository.frozenBy ?? '')
    .raw(unknownFieldsOf(repository))
    .finish();
}

export function decodeRepository(bytes: Buffer): Repository {
  const found = {
    id: '',
    storageNamespace: '',
    defaultBranch: '',
    creationDate: new Date(0),
    state: 'active' as Repository['state'],
    instanceUid: '',
    readOnly: false,
    storageId: '',
  };
  const move: { storageEpoch?: number; frozenBy?: string } = {};
  for (const { field, int, bytes: value } of readFields(bytes, 'repository record')) {
    if (field === 1) found.id = value.toString('utf8');
    else if (field === 2) found.storageNamespace = value.toString('utf8');
    else if (field === 3) found.defaultBranch = value.toString('utf8');
    else if (field === 4) found.creationDate = dateOf(readTimestamp(value, 'repository record'));
    else if (field === 5) found.state = states[int] ?? 'active';
    else if (field === 6) found.instanceUid = value.toString('utf8');
    else if (field === 7) found.readOnly = int !== 0;
    else if (field === 8) found.storageId = value.toString('utf8');
    else if (field === storageEpochField && int > 0) move.storageEpoch = int;
    else if (field === frozenByField && value.length > 0) move.frozenBy = value.toString('utf8');
  }
  return withUnknownFields({ ...found, ...move }, bytes, known);
}

export function encodeRepositoryMetadata(metadata: Readonly<Record<string, string>>): Buffer {
  return new ProtoWriter().map(1, metadata).raw(unknownFieldsOf(metadata)).finish();
}

export function decodeRepositoryMetadata(bytes: Buffer): Record<string, string> {
  const entries = [...readFields(bytes, 'repository metadata')].filter(({ field }) => field === 1);
  const metadata = Object.fromEntries(entries.map(({ bytes: entry }) => readMapEntry(entry, 'repository metadata')));
  return withUnknownFields(metadata, bytes, knownOfMetadata);
}
