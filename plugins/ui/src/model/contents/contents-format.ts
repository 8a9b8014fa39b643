/** Files whose contents can be listed, by their extension. */

export type ContentsFormat = 'npy' | 'npz' | 'safetensors' | 'zip' | 'tar';

const formats: Readonly<Record<string, ContentsFormat>> = {
  npy: 'npy',
  npz: 'npz',
  safetensors: 'safetensors',
  zip: 'zip',
  jar: 'zip',
  whl: 'zip',
  tar: 'tar',
};

/** @param extension lower case. */
export function contentsFormatOf(extension: string): ContentsFormat | undefined {
  return Object.hasOwn(formats, extension) ? formats[extension] : undefined;
}
