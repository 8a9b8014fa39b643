/** Many objects as one archive, put together in the browser: contents are blobs, which the browser keeps outside of memory. */
import { MemberNames } from '@srv/engine/objects/member-names';
import { call, send } from '@srv/lib-page/page';
import { centralDirectory, crc32, localHeader } from '../../../src/model/zip.js';
import type { ZipMember } from '../../../src/model/zip.js';

interface ZipDownload {
  readonly repository: string;
  readonly ref: string;
  readonly paths: readonly string[];
  /** Everything below these, too. */
  readonly prefixes: readonly string[];
  /** Taken off the names. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (objects: number, bytes: number) => void;
}

/** Bytes of an archive a browser can be trusted with. */
const mostBytes = 4 * 1024 ** 3;

export async function zipOf({ repository, ref, paths, prefixes, folder, signal, onProgress }: ZipDownload): Promise<Blob> {
  const parts: BlobPart[] = [];
  const members: ZipMember[] = [];
  const names = new MemberNames();
  let offset = 0;
  const add = async (path: string): Promise<void> => {
    const content = await (await send('getObject', { repository, ref, path }, { signal })).blob();
    const name = names.of(path.slice(folder.length));
    const member = { name, size: content.size, crc: await crcOf(content), offset };
    const header = localHeader(member);
    parts.push(header, content);
    members.push(member);
    offset += header.length + content.size;
    if (offset > mostBytes) throw new Error('This is more than 4 GiB. Download it with “cli fs download” instead.');
    onProgress(members.length, offset);
  };
  const chosen = new Set(paths);
  for (const path of chosen) await add(path);
  for (const prefix of prefixes) {
    for (let after = ''; ; ) {
      const { results, pagination } = await call(
        'listObjects',
        { repository, ref, prefix, after, amount: 1000, user_metadata: false },
        { signal },
      );
      // An object that is ticked may be in a folder that is ticked, too.
      for (const { path } of results) if (!chosen.has(path)) await add(path);
      if (!pagination.has_more) break;
      after = pagination.next_offset;
    }
  }
  return new Blob([...parts, ...centralDirectory(members, offset)], { type: 'application/zip' });
}

async function crcOf(content: Blob): Promise<number> {
  let crc = 0;
  const reader = content.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) crc = crc32(piece.value, crc);
  return crc;
}

/** Hands a file to the user. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
