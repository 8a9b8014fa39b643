/**
 * Objects as a ZIP archive, member after member as it is read. Contents are stored and not compressed, so that the length is
 * known before the first byte: a download that ends early is noticed.
 */
import { Readable } from 'node:stream';
import { Pace } from '@srv/kernel';
import { MemberNames } from './member-names.js';
import type { PassThrough } from 'node:stream';

/** The list of members is written in one go: more of them would hold up other requests. */
export const mostMembers = 10_000;

export interface ArchivedObject {
  /** Below the folder that is archived. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
  readonly open: () => Promise<Readable>;
}

interface Archive {
  readonly body: Readable;
  /** Bytes. */
  readonly size: number;
}

const fileMode = 0o100644;
/** Most bytes of the list of members that one member takes, its name aside. */
const mostListed = 100;
/** Bytes of a list for which the promised length counts records of ZIP64; they are written only when they are asked for. */
const zip64List = 0xffff;

/**
 * @param objects at most {@link mostMembers}. The body fails when one of them cannot be read, and destroys what it reads when
 * it is destroyed. @throws SrvError when the first one cannot be opened: then nothing has been sent.
 */
export async function zipOf(objects: readonly ArchivedObject[]): Promise<Archive> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  const fail = (error: unknown): void => void output.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  // A failure before anything is read waits for the reader.
  output.on('error', () => undefined);
  const first = objects.find(({ size }) => size > 0);
  let opened: Readable | undefined;
  let reading: Readable | undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>(resolve => {
    begin = resolve;
  });
  const names = new MemberNames();
  const pace = new Pace();
  for (const object of objects) {
    names.expect(pathOf(object));
    await pace.rest();
  }
  let listed = 0;
  for (const object of objects) {
    await pace.rest();
    const { size, modified: mtime } = object;
    const member = names.of(pathOf(object));
    listed += mostListed + Buffer.byteLength(member);
    if (member.endsWith('/')) zip.addEmptyDirectory(member, { mtime });
    else
      zip.addReadStreamLazy(member, { size, mtime, mode: fileMode, compress: false }, deliver => {
        begun
          .then(() => (object === first && opened) || object.open())
          .then(stream => {
            reading = stream.on('error', fail);
            if (output.destroyed) stream.destroy();
            else deliver(null, stream);
          }, fail);
      });
  }
  opened = await first?.open();
  reading = opened?.on('error', fail);
  const size = await new Promise<number>(resolve => {
    // Its types do not know that the length is passed.
    zip.end({ forceZip64Format: listed >= zip64List, comment: '' }, resolve as () => void);
  });
  const body = Readable.from(pieces(output, begin), { objectMode: false });
  body.once('close', () => {
    output.destroy();
    reading?.destroy();
  });
  return { body, size };
}

/** Of an object in the archive. One that ends like the name of a folder, and has content, is a file. */
function pathOf({ name, size }: ArchivedObject): string {
  return name.endsWith('/') && size > 0 ? `${name.slice(0, -1)}_` : name;
}

/** Nothing is opened before the first piece is read. */
async function* pieces(output: PassThrough, begin: () => void): AsyncGenerator<Buffer> {
  begin();
  yield* output as AsyncIterable<Buffer>;
}
