/** Where a link in a Markdown file leads. */
import { decodedUri } from '@srv/lib-page/model';

interface MarkdownPlace {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

type ResolvedLink =
  | { readonly kind: 'object'; readonly repository: string; readonly ref: string; readonly path: string }
  | { readonly kind: 'anchor'; readonly id: string }
  | { readonly kind: 'outside'; readonly url: string }
  /** An address that must not be opened: `javascript:`, `data:` and the like. */
  | { readonly kind: 'none' };

const own = /^(?:srv|lakefs):\/\/([^/]+)\/([^/]+)\/(.*)$/s;

/** Relative to the file's folder, as readers of CommonMark expect; a leading slash means the root of the ref. */
export function resolveLink(href: string, { repository, ref, path }: MarkdownPlace): ResolvedLink {
  const text = href.trim();
  if (text.startsWith('#')) return { kind: 'anchor', id: decodedUri(text.slice(1)).toLowerCase() };
  const absolute = own.exec(text);
  if (absolute) return { kind: 'object', repository: absolute[1] ?? '', ref: absolute[2] ?? '', path: decodedUri(absolute[3] ?? '') };
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { kind: 'outside', url: new URL(text).href } : { kind: 'none' };
  // The form that the tutorial of sample repositories uses.
  const page = /^(?:\.?\/)?objects?\?(.*)$/.exec(text);
  if (page) {
    const query = new URLSearchParams(page[1] ?? '');
    return { kind: 'object', repository, ref: query.get('ref') ?? ref, path: query.get('path') ?? '' };
  }
  // A colon before any slash: a scheme. Browsers drop control characters from it first.
  const bare = [...text].filter(char => char > ' ').join('');
  if (text === '' || /^[^/?#]*:/.test(bare) || text.startsWith('//')) return { kind: 'none' };
  const file = decodedUri(text.split(/[?#]/, 1)[0] ?? '');
  const folder = text.startsWith('/') ? [] : path.split('/').slice(0, -1);
  const parts = [...folder];
  for (const part of file.replace(/^\//, '').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return { kind: 'object', repository, ref, path: parts.join('/') };
}
