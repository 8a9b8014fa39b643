/** The bytes of a file that were announced, or an error: a body that is too short would leave the server waiting for the rest. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform, pipeline } from 'node:stream';
import { SrvError, messageOf } from '@srv/kernel';
import type { Readable } from 'node:stream';

/** A file whose bytes are sent. */
export interface AnnouncedFile {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  /** Bytes that were announced. */
  readonly size: number;
}

/** The file cannot be read as it was announced; sending it again would fail, too. */
export class UnreadableSource extends SrvError {}

/**
 * The bytes from `start` to `end`, inclusive. If the file grows meanwhile, only these are read.
 * The stream fails with {@link UnreadableSource} when the file becomes shorter, or cannot be read.
 */
export function fileRange(file: AnnouncedFile, start: number, end: number): Readable {
  let position = start;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      position += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      if (position > end) done();
      else void shortened(file, position).then(done);
    },
  });
  const bytes = createReadStream(file.path, { start, end }).on('error', error => check.destroy(unreadable(file, error)));
  // Its reader sees an error; until there is one, an error must not end the program.
  return pipeline(bytes, check, () => undefined).on('error', () => undefined);
}

async function shortened({ name, path, size }: AnnouncedFile, position: number): Promise<Error> {
  const left = await stat(path).then(
    facts => Math.min(facts.size, position),
    () => position,
  );
  return new UnreadableSource('invalid', `${name}: the file became shorter while it was read (${left} of ${size} bytes)`);
}

function unreadable({ name }: AnnouncedFile, error: Error): Error {
  return new UnreadableSource('invalid', `${name}: the file cannot be read: ${messageOf(error)}`, { cause: error });
}
