/** Which objects a viewer of the operator is for. */
import { extensionOf } from './object-kind.js';
import type { NamedObject } from './object-kind.js';

export interface CustomViewer {
  readonly name: string;
  readonly url: string;
  /** With or without a dot. */
  readonly extensions?: readonly string[] | undefined;
  /** Such as `image/tiff` or `image/*`. */
  readonly content_types?: readonly string[] | undefined;
}

/** A viewer that names nothing is for everything. */
export function chosenFor(
  { extensions = [], content_types: types = [] }: Pick<CustomViewer, 'extensions' | 'content_types'>,
  { path, contentType }: NamedObject,
): boolean {
  if (extensions.length + types.length === 0) return true;
  const extension = extensionOf(path);
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return (
    extensions.some(name => name.replace(/^\./, '').toLowerCase() === extension) ||
    types.some(name => {
      const wanted = name.toLowerCase();
      return wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)));
    })
  );
}
