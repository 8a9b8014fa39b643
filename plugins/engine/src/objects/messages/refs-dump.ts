/** RepositoryDumpInfo, MergeData (package engine), and the properties of dump tables (committed format, section 15). */
import { ProtoWriter, readFields } from '@srv/lib-records';
import type { RefsDump } from '../contract.js';

export function encodeRefsDump({ commits, tags, branches }: RefsDump): Buffer {
  return new ProtoWriter().string(1, commits).string(2, tags).string(3, branches).finish();
}

export function decodeRefsDump(bytes: Buffer): RefsDump {
  const found = { commits: '', tags: '', branches: '' };
  for (const { field, bytes: value } of readFields(bytes, 'dump result')) {
    if (field === 1) found.commits = value.toString('utf8');
    else if (field === 2) found.tags = value.toString('utf8');
    else if (field === 3) found.branches = value.toString('utf8');
  }
  return found;
}

export function encodeMergeResult(reference: string): Buffer {
  return new ProtoWriter().string(1, reference).finish();
}

export function decodeMergeResult(bytes: Buffer): string {
  for (const { field, bytes: value } of readFields(bytes, 'merge result')) if (field === 1) return value.toString('utf8');
  return '';
}

type FieldType = 'STRING' | 'INT32' | 'BOOL' | `MESSAGE ${string}`;

/** `[name, json name, type, repeated]` in order of field numbers. */
type Fields = readonly (readonly [string, string, FieldType, boolean?])[];

const packageName = 'io.treeverse.lakefs.graveler';

const messages: Readonly<Record<'commit' | 'branch' | 'tag', { readonly name: string; readonly fields: Fields }>> = {
  commit: {
    name: 'CommitData',
    fields: [
      ['id', 'id', 'STRING'],
      ['committer', 'committer', 'STRING'],
      ['message', 'message', 'STRING'],
      ['creation_date', 'creationDate', 'MESSAGE .google.protobuf.Timestamp'],
      ['meta_range_id', 'metaRangeId', 'STRING'],
      ['metadata', 'metadata', `MESSAGE .${packageName}.CommitData.MetadataEntry`, true],
      ['parents', 'parents', 'STRING', true],
      ['version', 'version', 'INT32'],
      ['generation', 'generation', 'INT32'],
    ],
  },
  branch: {
    name: 'BranchData',
    fields: [
      ['id', 'id', 'STRING'],
      ['commit_id', 'commitId', 'STRING'],
      ['staging_token', 'stagingToken', 'STRING'],
      ['sealed_tokens', 'sealedTokens', 'STRING', true],
      ['hidden', 'hidden', 'BOOL'],
    ],
  },
  tag: {
    name: 'TagData',
    fields: [
      ['id', 'id', 'STRING'],
      ['commit_id', 'commitId', 'STRING'],
    ],
  },
};

/** Hashed properties of the tables of one kind of dump. */
export function dumpProperties(entity: 'commit' | 'branch' | 'tag'): Record<string, string> {
  const { name, fields } = messages[entity];
  const definition = { name, field: fields.map(fieldDefinition), ...(entity === 'commit' ? { nestedType: [mapEntry] } : {}) };
  return { entity, schema_name: `${packageName}.${name}`, schema_definition: JSON.stringify(definition) };
}

function fieldDefinition([name, jsonName, type, repeated = false]: Fields[number], index: number): object {
  const [kind, typeName] = type.split(' ');
  return {
    name,
    number: index + 1,
    label: repeated ? 'LABEL_REPEATED' : 'LABEL_OPTIONAL',
    type: `TYPE_${kind}`,
    ...(typeName ? { typeName } : {}),
    jsonName,
  };
}

const entryFields: Fields = [
  ['key', 'key', 'STRING'],
  ['value', 'value', 'STRING'],
];
const mapEntry = { name: 'MetadataEntry', field: entryFields.map(fieldDefinition), options: { mapEntry: true } };
