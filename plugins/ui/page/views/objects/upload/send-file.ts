/** Sends one file: through the server, or to the object store itself where the server wants that. */
import { call, messageIn, requestOf } from '@srv/lib-page/page';
import { sendBody } from '../../../core/send-body.js';
import { retry } from './retry.js';
import { putSigned } from './store-put.js';

export interface FileUpload {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
  readonly file: File;
  readonly signal: AbortSignal;
  /** @param sent bytes. */
  readonly onProgress: (sent: number) => void;
}

/** @throws Error with what the server said. */
export async function sendThroughServer({ repository, branch, path, file, signal, onProgress }: FileUpload): Promise<void> {
  const { method, url, headers } = requestOf('uploadObject', { repository, branch, path });
  const typed = { ...headers, 'content-type': file.type || 'application/octet-stream' };
  const { status, text } = await sendBody(globalThis, { method, url, headers: typed, body: file, signal, onProgress });
  if (status !== 201) throw new Error(messageIn(text).message || `status ${status}`);
}

/** In one piece. @throws StoreRefusal; Refusal */
export async function sendToStore({ repository, branch, path, file, signal, onProgress }: FileUpload): Promise<void> {
  const at = { repository, branch, path };
  const { staging, checksum } = await retry(async () => {
    const place = await call('getPhysicalAddress', { ...at, presign: true }, { signal });
    if (!place.presigned_url) throw new Error('The server gave no pre-signed URL; send through the server.');
    return { staging: place, checksum: await putSigned({ repository, url: place.presigned_url, body: file, signal, onProgress }) };
  }, signal);
  const body = { staging, checksum, size_bytes: file.size, ...(file.type ? { content_type: file.type } : {}) };
  await call('linkPhysicalAddress', { ...at, body }, { signal });
}
