/** Asks which release is the newest. */
import { SrvError } from '@srv/kernel';
import { ask } from './ask.js';

/** Milliseconds. */
const timeout = 10_000;

export interface LatestRelease {
  /** Without a leading `v`. */
  readonly version: string;
  readonly url?: string;
}

/**
 * @param url of a document with `tag_name` (or `version`) and `html_url` (or `upgrade_url`), the form in which forges
 * describe a release.
 * @throws SrvError or a network error without a response.
 */
export async function findLatestRelease(url: string, stop: AbortSignal): Promise<LatestRelease> {
  const { tag_name: tag, version = tag, html_url: page, upgrade_url: address = page } = await ask(new URL(url), timeout, stop);
  if (typeof version !== 'string' || version === '')
    throw new SrvError('unavailable', `${new URL(url).origin} names no release: tag_name and version are missing`);
  return { version: version.replace(/^v/, ''), ...(typeof address === 'string' && address !== '' ? { url: address } : {}) };
}
