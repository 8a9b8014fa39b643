/** The beginning of a member of a zip archive, unpacked. */
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { ZipMember } from './zip-directory.js';

const [localMark, localSize] = [0x04034b50, 30];
const [stored, deflated] = [0, 8];
/** Bytes of a member that are read. */
const headBytes = 4096;

/** @returns at least the first bytes, as many as are at hand; nothing of members that are encrypted, damaged or packed in another way. */
export async function memberHead(source: ByteSource, { offset, compressed, method, isEncrypted }: ZipMember): Promise<Uint8Array> {
  const none = new Uint8Array();
  if (isEncrypted || (method !== stored && method !== deflated) || offset + localSize > source.size) return none;
  const local = new DataView((await source.read(offset, offset + localSize)).buffer);
  if (local.getUint32(0, true) !== localMark) return none;
  const from = offset + localSize + local.getUint16(26, true) + local.getUint16(28, true);
  const to = Math.min(source.size, from + Math.min(compressed, headBytes));
  if (to <= from) return none;
  const bytes = await source.read(from, to);
  return method === stored ? bytes : ((await firstInflated(bytes)) ?? none);
}

/** The first piece that comes out; the rest is never unpacked. */
async function firstInflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const ignore = (): void => undefined;
  // Asked for first: the first piece arrives before the error at the end of a member that is cut.
  const first = reader.read();
  writer.write(bytes).catch(ignore);
  writer.close().catch(ignore);
  try {
    return (await first).value;
  } catch {
    return undefined;
  } finally {
    // Ends the rest, however much it would become.
    await reader.cancel().catch(ignore);
  }
}
