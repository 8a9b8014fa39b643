/** A page of uploads in progress: by key, then by the time they began. */

export interface ListedUpload {
  /** `<ref>/<path>`. */
  readonly key: string;
  readonly uploadId: string;
  readonly createdAt: Date;
}

interface UploadPageRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly keyMarker: string;
  readonly uploadIdMarker: string;
  readonly limit: number;
}

interface UploadPage<U> {
  readonly uploads: readonly U[];
  readonly prefixes: readonly string[];
  /** Present when there is more. */
  readonly next?: { readonly key: string; readonly uploadId: string } | undefined;
}

/**
 * Uploads and common prefixes after the markers, in byte order of the keys. As in listings of objects, a common prefix is shown
 * while an upload in it is, unless it is the marker itself: then the page before has shown it.
 */
export function uploadPage<U extends ListedUpload>(all: Iterable<U>, request: UploadPageRequest): UploadPage<U> {
  const { prefix, delimiter, keyMarker, limit } = request;
  const sorted = [...all].filter(({ key }) => key.startsWith(prefix)).sort(compare);
  const uploads: U[] = [];
  const prefixes: string[] = [];
  let last: { key: string; uploadId: string } | undefined;
  for (const upload of unseen(sorted, request)) {
    const common = commonPrefix(upload.key, prefix, delimiter);
    if (common !== undefined && (common === keyMarker || common === prefixes.at(-1))) continue;
    if (uploads.length + prefixes.length === limit) return { uploads, prefixes, next: last };
    if (common === undefined) uploads.push(upload);
    else prefixes.push(common);
    last = { key: common ?? upload.key, uploadId: common === undefined ? upload.uploadId : '' };
  }
  return { uploads, prefixes };
}

/** Those after the markers. Without a marked upload, all of the marked key have been seen. */
function unseen<U extends ListedUpload>(sorted: readonly U[], { keyMarker, uploadIdMarker }: UploadPageRequest): readonly U[] {
  if (keyMarker === '') return sorted;
  const marked = sorted.find(({ key, uploadId }) => key === keyMarker && uploadId === uploadIdMarker);
  return sorted.filter(upload => {
    const order = compareKeys(upload.key, keyMarker);
    if (order !== 0 || uploadIdMarker === '') return order > 0;
    // The time of a marked upload that has ended meanwhile is unknown.
    return marked ? compare(upload, marked) > 0 : upload.uploadId > uploadIdMarker;
  });
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compare(a: ListedUpload, b: ListedUpload): number {
  return (
    compareKeys(a.key, b.key) ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    (a.uploadId < b.uploadId ? -1 : a.uploadId > b.uploadId ? 1 : 0)
  );
}
