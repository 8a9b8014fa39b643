/** The `Content-Disposition` that a pre-signed read asks for (block-storage sheet, section 6.6). */

/**
 * @param filename a name or path; only the segment after the last `/` is used.
 * @example attachment('a/b.txt') // 'attachment; filename=b.txt'
 */
export function attachment(filename: string): string {
  const name = filename.slice(filename.lastIndexOf('/') + 1);
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `attachment; filename=${name}`;
  if (/^[\x20-\x7e]+$/.test(name)) return `attachment; filename="${name.replace(/["\\]/g, '\\$&')}"`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename*=utf-8''${encoded}`;
}
