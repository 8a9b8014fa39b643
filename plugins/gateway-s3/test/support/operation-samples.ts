/** A request for any operation of the table. What an operation needs beyond its row is listed; others need nothing more. */

import type { operations } from '../../src/server/operations/index.js';
import type { Unsigned } from './signers.js';

export type Level = keyof typeof operations;

/** The parts of a row of the table that say which requests it answers. */
export interface Row {
  readonly name: string;
  readonly method: string;
  readonly query?: string;
  readonly header?: string;
  readonly parameters?: readonly string[];
}

/** What requests can refer to. */
export interface Fixtures {
  /** `<repository>/<ref>/<path>` of an object. */
  readonly object: string;
  /** An upload in progress of that key, with one part. */
  readonly upload: { readonly key: string; readonly uploadId: string; readonly etag: string };
  /** Id of the owner of everything. */
  readonly owner: string;
}

interface Needs {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const access = (owner: string): string =>
  `<AccessControlPolicy><AccessControlList><Grant><Grantee><ID>${owner}</ID></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList></AccessControlPolicy>`;

const needs: Readonly<Record<string, (fixtures: Fixtures) => Needs>> = {
  CompleteMultipartUpload: ({ upload }) => ({
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${upload.etag}</ETag></Part></CompleteMultipartUpload>`,
  }),
  DeleteObjects: () => ({ body: '<Delete><Object><Key>main/absent</Key></Object></Delete>' }),
  GetObjectAttributes: () => ({ headers: { 'x-amz-object-attributes': 'ETag,ObjectSize' } }),
  PutBucketAcl: ({ owner }) => ({ body: access(owner) }),
  PutObjectAcl: ({ owner }) => ({ body: access(owner) }),
  PutObjectTagging: () => ({ body: '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>' }),
};

/** Values of query names that need one. */
const values: Readonly<Record<string, (fixtures: Fixtures) => string>> = {
  partNumber: () => '2',
  uploadId: ({ upload }) => upload.uploadId,
};

/** @param path encoded, where the operation writes. */
export function sampleOf(level: Level, row: Row, fixtures: Fixtures, path: string): Unsigned {
  const [bucket = '', ref = ''] = fixtures.object.split('/');
  const { headers = {}, body } = needs[row.name]?.(fixtures) ?? {};
  const names = [...(row.query === undefined ? [] : [row.query]), ...(row.parameters ?? [])];
  const isUpload = names.includes('uploadId');
  const writes = row.method === 'PUT' || row.method === 'DELETE' || row.method === 'POST';
  const onExisting = !writes || row.query !== undefined;
  const places: Readonly<Record<Level, string>> = {
    service: '/',
    bucket: `/${bucket}`,
    root: `/${bucket}/${ref}/`,
    object: isUpload ? `/${bucket}/${fixtures.upload.key}` : onExisting ? `/${fixtures.object}` : `/${bucket}/${ref}/${path}`,
  };
  // An empty marker of a branch has no content.
  const content = level === 'root' || row.header !== undefined ? '' : (body ?? 'content');
  return {
    method: row.method,
    path: places[level],
    query: names.map(name => [name, values[name]?.(fixtures) ?? '']),
    headers: { ...headers, ...(row.header === undefined ? {} : { [row.header]: `/${fixtures.object}` }) },
    body: row.method === 'PUT' || row.method === 'POST' ? Buffer.from(content) : undefined,
  };
}
