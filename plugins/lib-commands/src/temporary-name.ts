/** Names of the files that are written before they take the place of others. */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Makes the names of this process's temporary files differ from those of any other. */
let mark: string | undefined;
let made = 0;

/** A new path in the folder of `path`, whose name shows whose place the file is to take. */
export function temporaryBeside(path: string): string {
  mark ??= randomBytes(6).toString('hex');
  return join(dirname(path), `.${shortened(basename(path))}.${mark}${made++}.part`);
}

/** Its whole characters within 100 bytes: file systems limit bytes, 255 in most cases. */
function shortened(name: string): string {
  return name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(100)).read);
}
