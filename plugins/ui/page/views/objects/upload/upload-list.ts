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
  /** A file takes the place of one of the same name: it was chosen later. */
  add(files: readonly NamedFile[]): void;
  remove(name: string): void;
  /** It is running again: nothing is sent, and no problem is known. */
  restart(upload: Upload): void;
  /** Nothing happens when another file has taken its place. */
  change(upload: Upload, part: Partial<Upload>): void;
}

export function useUploadList(): UploadList {
  const [list, setList] = useState<readonly Upload[]>([]);
  const replace = ({ file }: Upload, by: (before: Upload) => Upload): void =>
    setList(before => before.map(upload => (upload.file === file ? by(upload) : upload)));
  return {
    list,
    add: files => setList(before => [...new Map([...before, ...files.map(waiting)].map(upload => [upload.name, upload])).values()]),
    remove: name => setList(before => before.filter(upload => upload.name !== name)),
    restart: upload => replace(upload, ({ name, file }) => ({ name, file, state: 'running', sent: 0 })),
    change: (upload, part) => replace(upload, before => ({ ...before, ...part })),
  };
}

const waiting = (file: NamedFile): Upload => ({ ...file, state: 'waiting', sent: 0 });
