/** Reads what a file of arrays or an archive contains from its headers, without what they describe. */
import { readNpy } from './npy.js';
import { readNpz } from './npz.js';
import { readOrc } from './orc.js';
import { readSafetensors } from './safetensors.js';
import { readTar } from './tar.js';
import { readTiff } from './tiff.js';
import { readZip } from './zip-directory.js';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { ContentsFormat, FileContents } from './contents-format.js';

const readers: Readonly<Record<ContentsFormat, (source: ByteSource) => Promise<FileContents>>> = {
  npy: readNpy,
  npz: readNpz,
  orc: readOrc,
  safetensors: readSafetensors,
  zip: readZip,
  tar: readTar,
  tiff: readTiff,
};

/** @throws Error that says what is wrong with the file. */
export function readContents(format: ContentsFormat, source: ByteSource): Promise<FileContents> {
  return readers[format](source);
}
