/** What a file of arrays or an archive contains, as rows: read from its headers, without what they describe. */
import { readNpy } from './npy.js';
import { readSafetensors } from './safetensors.js';
import { readTar } from './tar.js';
import { readZip } from './zip-directory.js';
import type { ByteSource } from '../tables/byte-source.js';
import type { ContentsFormat } from './contents-format.js';

export interface FileContents {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Facts of the file as a whole. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** There is more than was read. */
  readonly isCut: boolean;
}

const readers: Readonly<Record<ContentsFormat, (source: ByteSource) => Promise<FileContents>>> = {
  npy: readNpy,
  npz: readZip,
  safetensors: readSafetensors,
  zip: readZip,
  tar: readTar,
};

/** @throws Error that says what is wrong with the file. */
export function readContents(format: ContentsFormat, source: ByteSource): Promise<FileContents> {
  return readers[format](source);
}
