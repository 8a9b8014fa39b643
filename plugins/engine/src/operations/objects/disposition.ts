/**
 * Which stored types a browser may show in place. Everything else is offered as a download, above all what could run
 * scripts when a user follows a link to it: pages, drawings, XML. In an `<img>` drawings are shown all the same.
 */

const shown = new Set([
  ...['jpeg', 'jpg', 'png', 'gif', 'webp'].map(t => `image/${t}`),
  ...['pdf', 'json'].map(t => `application/${t}`),
  ...['plain', 'markdown', 'x-markdown', 'css'].map(t => `text/${t}`),
  ...['mp4', 'webm'].map(t => `video/${t}`),
  ...['mpeg', 'wav', 'webm'].map(t => `audio/${t}`),
]);

/** @param contentType as stored; one with parameters is never shown in place. */
export function dispositionOf(contentType: string): 'inline' | 'attachment' {
  return shown.has(contentType) ? 'inline' : 'attachment';
}

const policy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/** Keep content of users from running in this origin, and out of shared caches. */
const shownHeaders = {
  'Cache-Control': 'no-store, must-revalidate',
  Expires: '0',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Content-Security-Policy': policy,
} as const;

const sandboxedHeaders = { ...shownHeaders, 'Content-Security-Policy': `${policy}; sandbox` } as const;

/** @param contentType as stored. Browsers show no PDF in a sandbox. */
export function contentHeaders(contentType: string): Readonly<Record<string, string>> {
  return contentType === 'application/pdf' ? shownHeaders : sandboxedHeaders;
}
