/** One write to the object store itself, by a URL that the server signed. */

import { storage } from '@srv/lib-page/page';
import { NoAnswer, sendBody } from '../../../core/send-body.js';
import { storeWindow } from './store-window.js';
import type { SentAnswer } from '../../../core/send-body.js';

interface SignedPut {
  readonly repository: string;
  readonly url: string;
  readonly body: Blob;
  readonly signal: AbortSignal;
  /** @param sent bytes. */
  readonly onProgress: (sent: number) => void;
}

/** The store said no, or the browser kept its answer back. */
export class StoreRefusal extends Error {
  /** 0: no answer that may be read. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'StoreRefusal';
    this.status = status;
  }
}

/** @returns what the store calls the bytes. @throws StoreRefusal */
export async function putSigned({ repository, url, body, signal, onProgress }: SignedPut): Promise<string> {
  const { origin } = new URL(url);
  const from = await storeWindow({ repository, origin });
  const headers = storage(repository)?.blockstore_type === 'azure' ? { 'x-ms-blob-type': 'BlockBlob' } : {};
  let answer: SentAnswer;
  try {
    answer = await sendBody(from, { method: 'PUT', url, headers, body, signal, onProgress });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new StoreRefusal(0, unreachable(origin));
  }
  if (answer.status < 200 || answer.status > 299) throw new StoreRefusal(answer.status, refusal(origin, answer));
  const tag = hexOf(answer.header('content-md5')) ?? answer.header('etag')?.replace(/["\s]/g, '');
  if (!tag) throw new StoreRefusal(0, `The object store at ${origin} does not show its ETag: its CORS rules must expose that header.`);
  return tag;
}

function unreachable(origin: string): string {
  return (
    `The browser could not write to the object store at ${origin}. Either it cannot be reached, or its CORS rules do not let ` +
    `${location.origin} PUT. Change the rules, or send through the server.`
  );
}

function refusal(origin: string, { status, text }: SentAnswer): string {
  const reason = /<Message>([^<]{1,300}?)\.?<\/Message>/.exec(text)?.[1];
  return `The object store at ${origin} answered ${status}${reason === undefined ? '' : `: ${reason}`}.`;
}

/** MD5 as checksums are written. */
function hexOf(base64: string | null): string | undefined {
  return base64 === null ? undefined : Array.from(atob(base64), char => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
