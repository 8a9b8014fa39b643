/** Objects as text. */
import { formatDate, formatSize } from '@srv/lib-commands';
import type { Terminal } from '@srv/lib-commands';

interface ShownObject {
  readonly path: string;
  readonly path_type: 'common_prefix' | 'object';
  readonly physical_address: string;
  readonly physical_address_expiry?: number | undefined;
  readonly checksum: string;
  readonly size_bytes?: number | undefined;
  readonly mtime: number;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly content_type?: string | undefined;
}

/** One line of a listing. @param shown the path as it is to be printed. */
export function objectLine(
  { path_type: type, mtime, size_bytes: size }: ShownObject,
  shown: string,
  { colours, interactive }: Pick<Terminal, 'colours' | 'interactive'>,
): string {
  const facts = type === 'common_prefix' ? ' '.repeat(45) : `${formatDate(mtime).padEnd(29)}    ${formatSize(size ?? 0).padEnd(12)}`;
  // In a pipe as wide as scripts know it, on a screen narrow.
  if (interactive)
    return `${type.padEnd(13)}  ${facts
      .replace(/ {4}(?=\S)/, '  ')
      .trimEnd()
      .padEnd(43)}  ${colours.yellowBright(shown)}`;
  return `${type.padEnd(12)}    ${facts}    ${colours.yellowBright(shown)}`;
}

/** Everything known about an object. */
export function statBlock(stats: ShownObject): string {
  const metadata = Object.entries(stats.metadata ?? {});
  return [
    `Path: ${stats.path}`,
    `Modified Time: ${formatDate(stats.mtime)}`,
    `Size: ${stats.size_bytes ?? 0} bytes`,
    `Human Size: ${formatSize(stats.size_bytes ?? 0)}`,
    `Physical Address: ${stats.physical_address}`,
    ...(stats.physical_address_expiry ? [`Physical Address Expires: ${formatDate(stats.physical_address_expiry)}`] : []),
    `Checksum: ${stats.checksum}`,
    `Content-Type: ${stats.content_type ?? ''}`,
    ...(metadata.length > 0 ? ['Metadata:', ...metadata.map(([name, value]) => `\t${name} = ${value}`)] : []),
  ].join('\n');
}
