/** The drawing that stands for the kind of an object in lists. */
import { extensionOf, kindOf } from './object-kind.js';
import type { IconName } from '@srv/lib-page';

const icons: Readonly<Partial<Record<ReturnType<typeof kindOf>, IconName>>> = {
  markdown: 'text',
  text: 'text',
  pdf: 'text',
  json: 'code',
  geojson: 'code',
  notebook: 'code',
  delimited: 'table',
  'json-lines': 'table',
  parquet: 'table',
  arrow: 'table',
  avro: 'table',
  image: 'picture',
  svg: 'picture',
  audio: 'media',
  video: 'media',
};
const archives = new Set(['zip', 'gz', 'bz2', 'xz', 'zst', 'tar', 'tgz', '7z']);

export function kindIcon(path: string, contentType = ''): IconName {
  return archives.has(extensionOf(path)) ? 'archive' : (icons[kindOf({ path, contentType })] ?? 'file');
}
