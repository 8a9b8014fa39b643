/**
 * Files small enough to be read and written at once. Descriptors rather than `FileHandle`s, which cost several times as
 * much: with thousands of small files that is what takes the time.
 */
import { close, open, read, write } from 'node:fs';
import { promisify } from 'node:util';

const [openFile, closeFile, readFile, writeFile] = [promisify(open), promisify(close), promisify(read), promisify(write)];

/** Bytes; as much as a stream would hold anyway. */
export const smallFile = 65_536;

/** Buffers to read into, lent to one file after the other; one byte more shows that a file is larger. */
const lent: Buffer[] = [];

/**
 * @param expected bytes that are probably in the file: saves a read for more.
 * @returns everything in the file; `undefined` when that is more than {@link smallFile} bytes.
 */
export async function readSmall(path: string, expected?: number): Promise<Buffer | undefined> {
  const buffer = lent.pop() ?? Buffer.allocUnsafeSlow(smallFile + 1);
  try {
    const length = await withFile(path, 'r', async file => {
      let end = 0;
      // The answer to the last call is the end of the file, or one byte too many.
      for (let last = -1; last !== 0 && end !== expected && end < buffer.length; end += last)
        last = (await readFile(file, buffer, end, buffer.length - end, end)).bytesRead;
      return end;
    });
    return length > smallFile ? undefined : Buffer.from(buffer.subarray(0, length));
  } finally {
    lent.push(buffer);
  }
}

/** Creates the file or replaces what is in it. */
export async function writeSmall(path: string, bytes: Buffer): Promise<void> {
  await withFile(path, 'w', async file => {
    for (let done = 0; done < bytes.length; ) done += (await writeFile(file, bytes, done, bytes.length - done, done)).bytesWritten;
  });
}

async function withFile<T>(path: string, flags: string, use: (file: number) => Promise<T>): Promise<T> {
  const file = await openFile(path, flags, 0o666);
  try {
    return await use(file);
  } finally {
    await closeFile(file);
  }
}
