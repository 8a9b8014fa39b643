/** Members of a tar archive (POSIX ustar and pax, long names of GNU): headers of 512 bytes, what is between them is passed over. */
import { cachedSource } from '@srv/lib-records/tables/byte-source';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

const block = 512;
/** Members that are listed: each takes a request, unless it is small. */
const mostMembers = 2000;
const mostName = 64 * 1024;
const kinds: Readonly<Record<string, string>> = { '0': 'file', '\0': 'file', '7': 'file', '1': 'hard link', '2': 'link', '5': 'folder' };

export async function readTar(original: ByteSource): Promise<FileContents> {
  const source = await cachedSource(original);
  const rows: (string | number)[][] = [];
  let at = 0;
  let longName: string | undefined;
  while (at + block <= source.size && rows.length < mostMembers) {
    const header = await source.read(at, at + block);
    if (header.every(byte => byte === 0)) break;
    if (!hasChecksum(header)) throw new Error(at === 0 ? 'this is not a tar archive' : `this archive is damaged at byte ${at}`);
    const size = numberIn(header.subarray(124, 136));
    const type = String.fromCharCode(header[156] ?? 0);
    const data = at + block;
    at = data + Math.ceil(size / block) * block;
    if ('Lx'.includes(type)) {
      const text = textIn(await source.read(data, Math.min(source.size, data + Math.min(size, mostName))));
      const path =
        type === 'L'
          ? text
          : text
              .split('\n')
              .find(line => /^[0-9]{1,10} path=/.test(line))
              ?.replace(/^[0-9]{1,10} path=/, '');
      longName = path ?? longName;
      continue;
    }
    if (type === 'g') continue;
    const prefix = textIn(header.subarray(345, 500));
    const name = longName ?? (prefix === '' ? '' : `${prefix}/`) + textIn(header.subarray(0, 100));
    const seconds = numberIn(header.subarray(136, 148));
    rows.push([name, kinds[type] ?? type, size, isTime(seconds) ? new Date(seconds * 1000).toISOString() : String(seconds)]);
    longName = undefined;
  }
  return { columns: ['name', 'kind', 'bytes', 'modified'], rows, facts: [], isCut: rows.length >= mostMembers };
}

const isTime = (seconds: number): boolean => Number.isFinite(seconds) && Math.abs(seconds) < 8.64e12;

function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Octal digits, or a large number in binary (GNU). */
function numberIn(bytes: Uint8Array): number {
  if ((bytes[0] ?? 0) & 0x80) return Number(bytes.subarray(1).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n));
  return Number.parseInt(textIn(bytes).trim() || '0', 8);
}

function hasChecksum(header: Uint8Array): boolean {
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  return numberIn(header.subarray(148, 156)) === sum;
}
