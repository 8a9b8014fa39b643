/** Which way of showing an object suits it. */

import { tableFormats } from '@srv/lib-records/tables/table-format';
import type { TableFormat } from '@srv/lib-records/tables/table-format';

type ObjectKind =
  | 'markdown'
  | 'json'
  | 'geojson'
  | 'delimited'
  | 'json-lines'
  | 'parquet'
  | 'arrow'
  | 'avro'
  | 'notebook'
  | 'image'
  | 'svg'
  | 'audio'
  | 'video'
  | 'pdf'
  | 'text'
  | 'binary'
  | 'unknown';

export interface NamedObject {
  readonly path: string;
  readonly contentType: string;
}

/** Lower case; empty if the path has no extension. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const byExtension: ReadonlyMap<string, ObjectKind> = new Map(
  (
    [
      ['markdown', 'md markdown'],
      ['json', 'json'],
      ['geojson', 'geojson'],
      ['delimited', 'csv tsv'],
      ['json-lines', 'jsonl ndjson'],
      ['parquet', 'parquet'],
      ['arrow', 'arrow arrows feather'],
      ['avro', 'avro'],
      ['notebook', 'ipynb pynb'],
      ['image', 'png jpg jpeg gif bmp webp avif ico svg'],
      ['audio', 'mp3 wav ogg flac m4a'],
      ['video', 'mp4 webm mov'],
      ['pdf', 'pdf'],
      [
        'text',
        'txt text log yaml yml toml ini xml html htm css js mjs cjs ts tsx jsx py rb go rs java c h cc cpp hpp cs php sh bash sql r scala kt swift lua pl tf conf env gitignore dockerfile proto graphql tex rst properties',
      ],
      ['binary', 'zip gz bz2 xz zst tar 7z exe dll so bin tif tiff orc npy npz pkl h5 onnx pt db sqlite'],
    ] as const
  ).flatMap(([kind, names]) => names.split(' ').map(name => [name, kind] as const)),
);

const byType: readonly (readonly [RegExp, ObjectKind])[] = [
  [/^text\/(?:x-)?markdown$/, 'markdown'],
  [/^application\/(?:x-)?ipynb(?:\+json)?$/, 'notebook'],
  [/^application\/json$/, 'json'],
  [/^application\/geo\+json$/, 'geojson'],
  [/^text\/(?:csv|tab-separated-values)$/, 'delimited'],
  [/^application\/(?:x-)?(?:ndjson|jsonlines|jsonl)$/, 'json-lines'],
  [/^application\/(?:vnd\.apache\.)?parquet$/, 'parquet'],
  [/^application\/vnd\.apache\.arrow\.(?:file|stream)$/, 'arrow'],
  [/^(?:application|avro)\/(?:vnd\.apache\.avro|avro|binary)$/, 'avro'],
  [/^image\//, 'image'],
  [/^audio\//, 'audio'],
  [/^video\//, 'video'],
  [/^application\/(?:x-)?pdf$/, 'pdf'],
  [/^text\/|^application\/(?:x-)?(?:yaml|toml|xml|javascript|sh)$/, 'text'],
];

/** Types that clients send when they know nothing. */
const says = (type: string): boolean =>
  type !== '' && !/^(?:application|binary)\/octet-stream$/.test(type) && type !== 'application/x-www-form-urlencoded';

/** The extension decides where it says more than the stored type. */
export function kindOf({ path, contentType }: NamedObject): ObjectKind {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const extension = byExtension.get(extensionOf(path));
  const typed = says(type) ? byType.find(([pattern]) => pattern.test(type))?.[1] : undefined;
  if (typed === undefined || typed === 'text') return extension ?? typed ?? 'unknown';
  if (typed === 'json' && extension === 'geojson') return extension;
  return typed;
}

/** The format of an object that is a table; `undefined` for any other. */
export function tableFormatOf(object: NamedObject): TableFormat | undefined {
  const kind = kindOf(object);
  return tableFormats.find(format => format === kind);
}

/** What a row of a listing is. */
interface ListedPath {
  readonly path: string;
  readonly path_type: string;
}

export const isPicture = ({ path, path_type: type }: ListedPath): boolean =>
  type === 'object' && kindOf({ path, contentType: '' }) === 'image';
