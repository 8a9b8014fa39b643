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
  readonly next?: { readonly key: string; readonly uploadId: string };
}

/** Uploads and common prefixes after the markers, in byte order of the keys. */
export function uploadPage<U extends ListedUpload>(all: Iterable<U>, request: UploadPageRequest): UploadPage<U> {
  const { prefix, delimiter, keyMarker, uploadIdMarker, limit } = request;
  const sorted = [...all].filter(({ key }) => key.startsWith(prefix)).sort(compare);
  const uploads: U[] = [];
  const prefixes: string[] = [];
  let last: { key: string; uploadId: string } | undefined;
  for (const upload of sorted) {
    const common = commonPrefix(upload.key, prefix, delimiter);
    const key = common ?? upload.key;
    if (isSeen(key, common === undefined ? upload : undefined, sorted)) continue;
    if (common !== undefined && common === prefixes.at(-1)) continue;
    if (uploads.length + prefixes.length === limit) return { uploads, prefixes, ...(last ? { next: last } : {}) };
    if (common === undefined) uploads.push(upload);
    else prefixes.push(common);
    last = { key, uploadId: common === undefined ? upload.uploadId : '' };
  }
  return { uploads, prefixes };

  /** Of uploads of the marker's own key, those up to the marked one. */
  function isSeen(key: string, upload: U | undefined, among: readonly U[]): boolean {
    if (keyMarker === '') return false;
    const order = Buffer.compare(Buffer.from(key), Buffer.from(keyMarker));
    if (order !== 0) return order < 0;
    if (!upload || uploadIdMarker === '') return true;
    const marked = among.find(u => u.key === keyMarker && u.uploadId === uploadIdMarker);
    return marked ? compare(upload, marked) <= 0 : upload.uploadId <= uploadIdMarker;
  }
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function compare(a: ListedUpload, b: ListedUpload): number {
  return (
    Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    (a.uploadId < b.uploadId ? -1 : a.uploadId > b.uploadId ? 1 : 0)
  );
}
