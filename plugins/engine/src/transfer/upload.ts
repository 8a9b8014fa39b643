/** Uploads one object: streamed, and compared by MD5 with what the server says it stored. */
import { isAnswerError } from '@srv/lib-commands';
import { checkStored, md5, meter } from './checksum.js';
import { isLarge, uploadInParts } from './multipart-upload.js';
import { putSigned } from './signed-url.js';
import { withSize } from './sources.js';
import type { ProgressBar } from '@srv/lib-commands';
import type { ObjectStats as ObjectRecord } from '../operations/client.js';
import type { Meter } from './checksum.js';
import type { Source } from './sources.js';
import type { UploadSettings, UploadTarget } from './upload-settings.js';

/** Times a pre-signed upload is begun again because another writer was faster. */
const linkAttempts = 5;
/** Bytes that every object store takes with one request; Azure takes the fewest, S3 5 GiB. */
const longestPut = 5000 * 2 ** 20;

export async function upload(source: Source, target: UploadTarget, settings: UploadSettings): Promise<ObjectRecord> {
  return settings.preSign.enabled ? uploadSigned(source, target, settings) : uploadDirect(source, target, settings);
}

async function uploadDirect(
  source: Source,
  target: UploadTarget,
  { api, progress, signal, contentType, metadata }: UploadSettings,
): Promise<ObjectRecord> {
  const metered = repeatedMeter(source, progress);
  const stored = await api.uploadObject(
    { ...target, body: source.bytes ?? (source.repeatable ? metered.open : metered.open()) },
    { signal, headers: { ...metadataHeaders(metadata), ...uploadHeaders(contentType, source.size) } },
  );
  checkStored(source.name, metered.md5(), stored.checksum);
  progress.fileDone();
  return stored;
}

/** The length lets the server refuse a body that was cut short. */
function uploadHeaders(contentType: string | undefined, size: number | undefined): Record<string, string> {
  return { ...(contentType ? { 'content-type': contentType } : {}), ...(size === undefined ? {} : { 'content-length': String(size) }) };
}

/** Keys `::lakefs::…` have headers of their own; all others travel in lower case. */
function metadataHeaders(metadata: Readonly<Record<string, string>> = {}): Record<string, string> {
  const internal = '::lakefs::';
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key.startsWith(internal) ? `x-lakefs-internal-${key.slice(internal.length)}` : `x-lakefs-meta-${key.toLowerCase()}`,
      value,
    ]),
  );
}

async function uploadSigned(source: Source, target: UploadTarget, settings: UploadSettings): Promise<ObjectRecord> {
  const { api, progress, signal, contentType, metadata } = settings;
  return withSize(source, signal, async sized => {
    if (settings.preSign.multipart && isLarge(sized) && !isConditional(target)) return uploadInParts(sized, target, settings);
    // The server stores it in parts.
    if (sized.size > longestPut) return uploadDirect(sized, target, settings);
    const metered = repeatedMeter(sized, progress);
    for (let attempt = 1; ; attempt++) {
      const staging = await api.getPhysicalAddress({ ...target, presign: true });
      if (!staging.presigned_url) throw new Error(`the server gave no pre-signed URL for ${target.path}; use --pre-sign=false`);
      const headers = await putSigned(staging.presigned_url, metered.open(), sized.size, {
        signal,
        headers: settings.preSign.headers,
        contentType: contentType || undefined,
      });
      const sent = metered.md5();
      const checksum = contentMd5(headers['content-md5']) ?? headers.etag?.replace(/["\s]/g, '');
      if (!checksum) throw new Error('the object store returned neither an ETag nor a checksum');
      checkStored(sized.name, sent, checksum, headers);
      try {
        const stored = await api.linkPhysicalAddress({
          ...target,
          body: {
            staging,
            checksum,
            size_bytes: sized.size,
            content_type: contentType || undefined,
            user_metadata: metadata,
          },
        });
        progress.fileDone();
        return stored;
      } catch (error) {
        if (!isAnswerError(error, 409) || attempt === linkAttempts) throw error;
      }
    }
  });
}

/** Uploads in parts have no conditions. */
function isConditional(target: UploadTarget): boolean {
  return target['If-Match'] !== undefined || target['If-None-Match'] !== undefined;
}

function contentMd5(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? Buffer.from(header, 'base64').toString('hex') : undefined;
}

/** Hashes a stream again at each attempt, but data in memory only once. */
function repeatedMeter(source: Source, progress: ProgressBar) {
  const { bytes } = source;
  if (bytes !== undefined) {
    progress.advance(bytes.length);
    return { open: () => source.open(), md5: () => md5(bytes) };
  }
  let current: Meter | undefined;
  return {
    open: () => {
      if (current) progress.advance(-current.bytes());
      const next = meter(count => progress.advance(count));
      current = next;
      const stream = source.open();
      stream.on('error', error => next.stream.destroy(error));
      return stream.pipe(next.stream);
    },
    md5: () => current?.md5() ?? '',
  };
}
