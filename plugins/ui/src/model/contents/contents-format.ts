/** Files whose contents can be listed. */

export type ContentsFormat = 'npy' | 'npz' | 'orc' | 'safetensors' | 'zip' | 'tar' | 'tiff';

/** What a file contains, as rows. */
export interface FileContents {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Facts of the file as a whole. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** What is not shown, and how to see it. */
  readonly note?: string;
  /** There is more than was read. */
  readonly isCut: boolean;
}

const formats: Readonly<Record<string, ContentsFormat>> = {
  npy: 'npy',
  npz: 'npz',
  orc: 'orc',
  safetensors: 'safetensors',
  zip: 'zip',
  jar: 'zip',
  whl: 'zip',
  tar: 'tar',
  tif: 'tiff',
  tiff: 'tiff',
};

/** @param extension lower case. */
export function contentsFormatOf(extension: string): ContentsFormat | undefined {
  return Object.hasOwn(formats, extension) ? formats[extension] : undefined;
}
