/** Reads archives whose members are stored as they are. */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';

/** @returns contents by name, in the order of the directory. */
export function readZip(archive: Buffer): Map<string, string> {
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50, 'the end of the directory');
  const end64 = Number(archive.readBigUInt64LE(end - 20 + 8));
  assert.equal(archive.readUInt32LE(end64), 0x06064b50, 'the long end of the directory');
  const count = Number(archive.readBigUInt64LE(end64 + 32));
  let at = Number(archive.readBigUInt64LE(end64 + 48));
  const found = new Map<string, string>();
  for (let i = 0; i < count; i++) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50, 'an entry of the directory');
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const extra = at + 46 + nameLength;
    const [size, offset] = [Number(archive.readBigUInt64LE(extra + 4)), Number(archive.readBigUInt64LE(extra + 20))];
    assert.equal(archive.readUInt32LE(offset), 0x04034b50, 'a header of a member');
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    const content = archive.subarray(start, start + size);
    assert.equal(archive.readUInt32LE(at + 16), crc32(content), name);
    found.set(name, content.toString());
    at = extra + extraLength;
  }
  return found;
}
