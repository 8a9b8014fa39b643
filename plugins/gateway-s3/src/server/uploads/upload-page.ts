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
  /** When the marked upload began, if that is known. */
  readonly markedAt?: Date | undefined;
  readonly limit: number;
}

interface UploadPage<U> {
  readonly uploads: readonly U[];
  readonly prefixes: readonly string[];
  /** Present when there is more. */
  readonly next?: { readonly key: string; readonly uploadId: string } | undefined;
}

/** An upload, or the common prefix that is shown for it. */
interface Row<U> {
  /** What is shown, in UTF-8. */
  readonly bytes: Buffer;
  readonly common: string | undefined;
  readonly upload: U;
}

/**
 * Uploads and common prefixes after the markers, in byte order of the keys. As in listings of objects, a common prefix is shown
 * while an upload in it is, unless it is the marker itself: then the page before has shown it. The uploads come in any order, and
 * no more of them are kept than twice the page.
 */
export class UploadPages<U extends ListedUpload> {
  readonly #request: UploadPageRequest;
  readonly #marker: Buffer;
  /** In any order. */
  readonly #rows: Row<U>[] = [];
  /** Those of the rows. */
  readonly #prefixes = new Set<string>();
  /** The row that follows the page, once there is one: what comes after it is not shown. */
  #following: Row<U> | undefined;

  constructor(request: UploadPageRequest) {
    this.#request = request;
    this.#marker = Buffer.from(request.keyMarker);
  }

  /** The row of an upload, for {@link add}. `undefined`: the page does not change. */
  rowOf(upload: U): Row<U> | undefined {
    const { prefix, delimiter, keyMarker } = this.#request;
    const { key } = upload;
    if (!key.startsWith(prefix)) return undefined;
    const common = commonPrefix(key, prefix, delimiter);
    if (common !== undefined && (common === keyMarker || this.#prefixes.has(common))) return undefined;
    const bytes = Buffer.from(key);
    if (!this.#isUnseen(upload, bytes)) return undefined;
    const row = { bytes: common === undefined ? bytes : Buffer.from(common), common, upload };
    return this.#following && compare(row, this.#following) > 0 ? undefined : row;
  }

  add(row: Row<U>): void {
    this.#rows.push(row);
    if (row.common !== undefined) this.#prefixes.add(row.common);
    if (this.#rows.length > 2 * this.#request.limit) this.#cut();
  }

  /** The page of all uploads that were added. */
  page(): UploadPage<U> {
    this.#cut();
    const shown = this.#rows.slice(0, this.#request.limit);
    const last = shown.at(-1);
    return {
      uploads: shown.flatMap(({ common, upload }) => (common === undefined ? [upload] : [])),
      prefixes: shown.flatMap(({ common }) => common ?? []),
      next: last &&
        this.#following && { key: last.common ?? last.upload.key, uploadId: last.common === undefined ? last.upload.uploadId : '' },
    };
  }

  #cut(): void {
    const { limit } = this.#request;
    this.#rows.sort(compare);
    for (const { common } of this.#rows.splice(limit + 1)) if (common !== undefined) this.#prefixes.delete(common);
    this.#following = this.#rows[limit];
  }

  /** After the markers. Without a marked upload, all of the marked key have been seen. */
  #isUnseen(upload: U, bytes: Buffer): boolean {
    const { keyMarker, uploadIdMarker, markedAt } = this.#request;
    if (keyMarker === '') return true;
    const order = Buffer.compare(bytes, this.#marker);
    if (order !== 0 || uploadIdMarker === '') return order > 0;
    if (!markedAt) return upload.uploadId > uploadIdMarker;
    return compareTimes(upload, { createdAt: markedAt, uploadId: uploadIdMarker }) > 0;
  }
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function compare(a: Row<ListedUpload>, b: Row<ListedUpload>): number {
  return Buffer.compare(a.bytes, b.bytes) || compareTimes(a.upload, b.upload);
}

/** Of uploads of one key. */
function compareTimes(a: Omit<ListedUpload, 'key'>, b: Omit<ListedUpload, 'key'>): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.uploadId < b.uploadId ? -1 : a.uploadId > b.uploadId ? 1 : 0);
}
