/** Which picture or sound a cell of a table shows: its own bytes, or an object that it names. */
import { resolveLink } from './markdown-links.js';
import { mediaTypeOf } from './media-bytes.js';
import { kindOf } from './object-kind.js';
import type { MediaType } from './media-bytes.js';

export interface CellMedia {
  readonly kind: MediaType['kind'];
  /** Absent: the cell itself has the bytes. */
  readonly object?: { readonly repository: string; readonly ref: string; readonly path: string };
}

export interface CellPlace {
  readonly repository: string;
  readonly ref: string;
  /** Of the table; relative paths begin at its folder. */
  readonly path: string;
  /** Name of the column. */
  readonly column: string;
}

const addresses = ['srv://', 'lakefs://'];
/** Columns of paths, as data sets of pictures and sound have them. */
const pathColumns = new Set(['file_name', 'image_path', 'audio_path']);
/** Characters of a struct that is looked into. */
const mostText = 4096;

export function mediaOf(text: string, at: CellPlace): CellMedia | undefined {
  const own = mediaTypeOf(text);
  if (own) return { kind: own.kind };
  const named = pathIn(text) ?? (addresses.some(each => text.startsWith(each)) || pathColumns.has(at.column) ? text : undefined);
  if (named === undefined || named.length > mostText) return undefined;
  const link = resolveLink(named, at);
  if (link.kind !== 'object') return undefined;
  const kind = kindOf({ path: link.path, contentType: '' });
  if (kind !== 'image' && kind !== 'audio') return undefined;
  const { repository, ref, path } = link;
  return { kind: kind === 'image' ? 'picture' : 'sound', object: { repository, ref, path } };
}

/** The path of a struct without bytes. */
function pathIn(text: string): string | undefined {
  if (!text.startsWith('{"bytes":null,') || text.length > mostText) return undefined;
  try {
    const { path } = JSON.parse(text) as { readonly path?: unknown };
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}
