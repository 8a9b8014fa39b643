/** Files to upload, each with its progress. */
import { useState } from 'preact/hooks';
import type { NamedFile } from './dropped-files.js';

export interface Upload extends NamedFile {
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** Bytes. */
  readonly sent: number;
  readonly problem?: string;
}

interface UploadList {
  readonly list: readonly Upload[];
  /** What is in the list already stays. */
  add(files: readonly NamedFile[]): void;
  remove(name: string): void;
  /** It is running again: nothing is sent, and no problem is known. */
  restart(upload: Upload): void;
  change(name: string, part: Partial<Upload>): void;
}

export function useUploadList(): UploadList {
  const [list, setList] = useState<readonly Upload[]>([]);
  const replace = (name: string, by: (before: Upload) => Upload): void =>
    setList(before => before.map(upload => (upload.name === name ? by(upload) : upload)));
  return {
    list,
    add: files =>
      setList(before => {
        const known = new Set(before.map(({ name }) => name));
        return [...before, ...files.filter(({ name }) => !known.has(name)).map(waiting)];
      }),
    remove: name => setList(before => before.filter(upload => upload.name !== name)),
    restart: ({ name, file }) => replace(name, () => ({ name, file, state: 'running', sent: 0 })),
    change: (name, part) => replace(name, before => ({ ...before, ...part })),
  };
}

const waiting = (file: NamedFile): Upload => ({ ...file, state: 'waiting', sent: 0 });
