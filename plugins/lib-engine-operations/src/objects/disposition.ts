/** Which stored types a browser may show in place. Everything else is offered as a download. */

const shown = new Set([
  ...['jpeg', 'jpg', 'png', 'gif', 'webp', 'svg+xml'].map(t => `image/${t}`),
  ...['pdf', 'javascript', 'json', 'xml'].map(t => `application/${t}`),
  ...['plain', 'markdown', 'x-markdown', 'html', 'css', 'javascript', 'xml'].map(t => `text/${t}`),
  ...['mp4', 'webm'].map(t => `video/${t}`),
  ...['mpeg', 'wav', 'webm'].map(t => `audio/${t}`),
]);

/** @param contentType as stored; one with parameters is never shown in place. */
export function dispositionOf(contentType: string): 'inline' | 'attachment' {
  return shown.has(contentType) ? 'inline' : 'attachment';
}

/** Keep content of users from running in this origin, and out of shared caches. */
export const contentHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store, must-revalidate',
  Expires: '0',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Content-Security-Policy': "default-src 'none'",
};
