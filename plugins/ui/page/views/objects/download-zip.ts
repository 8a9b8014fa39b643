/** Many objects as one archive, put together in the browser: contents are blobs, which the browser keeps outside of memory. */
import { MemberNames } from '@srv/engine/objects/member-names';
import { call, send } from '@srv/lib-page/page';
import { centralDirectory, crc32, localHeader } from '../../../src/model/zip.js';
import { allOf } from '../../core/all-pages.js';
import type { ZipMember } from '../../../src/model/zip.js';
import type { ListedObject } from './listed-object.js';

interface ZipDownload {
  readonly repository: string;
  readonly ref: string;
  readonly objects: readonly ListedObject[];
  /** Everything below these, too. */
  readonly prefixes: readonly string[];
  /** Taken off the names. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (objects: number, bytes: number) => void;
}

/** Bytes of an archive a browser can be trusted with. */
const mostBytes = 4 * 1024 ** 3;

/** @throws Error when the objects are too large together: before any of them is fetched, as far as the listing has their sizes. */
export async function zipOf({ folder, onProgress, ...source }: ZipDownload): Promise<Blob> {
  const { repository, ref, signal } = source;
  const parts: BlobPart[] = [];
  const members: ZipMember[] = [];
  const names = new MemberNames();
  let offset = 0;
  for (const path of await pathsOf(source)) {
    const content = await (await send('getObject', { repository, ref, path }, { signal })).blob();
    const name = names.of(path.slice(folder.length));
    const member = { name, size: content.size, crc: await crcOf(content), offset };
    const header = localHeader(member);
    parts.push(header, content);
    members.push(member);
    offset += header.length + content.size;
    refuseBeyondLimit(offset);
    onProgress(members.length, offset);
  }
  return new Blob([...parts, ...centralDirectory(members, offset)], { type: 'application/zip' });
}

type Source = Pick<ZipDownload, 'repository' | 'ref' | 'objects' | 'prefixes' | 'signal'>;

/** Each once: an object that is ticked may be in a folder that is ticked, too. */
async function pathsOf({ repository, ref, objects, prefixes, signal }: Source): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  let total = 0;
  const add = (found: readonly ListedObject[]): void => {
    for (const { path, size_bytes: size = 0 } of found) {
      if (!paths.has(path)) total += size;
      paths.add(path);
    }
    refuseBeyondLimit(total);
  };
  add(objects);
  for (const prefix of prefixes) {
    const load = (after: string) => call('listObjects', { repository, ref, prefix, after, amount: 1000, user_metadata: false }, { signal });
    for await (const found of allOf(load)) add(found);
  }
  return paths;
}

function refuseBeyondLimit(bytes: number): void {
  if (bytes > mostBytes) throw new Error('This is more than 4 GiB. Download it with “cli fs download” instead.');
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
