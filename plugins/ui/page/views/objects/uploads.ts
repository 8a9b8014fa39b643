/** Uploads under way: a few at a time, each with its progress; those that fail can be sent again. */
import { useRef, useState } from 'preact/hooks';
import { messageIn, messageOf, requestOf } from '../../core/client.js';
import type { NamedFile } from './dropped-files.js';

export interface Upload extends NamedFile {
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** Bytes. */
  readonly sent: number;
  readonly problem?: string;
}

interface Destination {
  readonly repository: string;
  readonly branch: string;
  readonly folder: string;
  /** Everything is uploaded. */
  readonly onWhole: () => void;
}

const atATime = 5;

export function useUploads({ repository, branch, folder, onWhole }: Destination) {
  const [list, setList] = useState<readonly Upload[]>([]);
  const [busy, setBusy] = useState(false);
  const controller = useRef<AbortController | undefined>(undefined);
  const change = (name: string, part: Partial<Upload>): void =>
    setList(before => before.map(upload => (upload.name === name ? { ...upload, ...part } : upload)));
  const destinationOf = ({ name }: NamedFile): string => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`) + name;

  const start = async (): Promise<void> => {
    const current = new AbortController();
    controller.current = current;
    setBusy(true);
    const queue = list.filter(({ state }) => state !== 'done');
    let failed = false;
    const work = async (): Promise<void> => {
      for (let upload = queue.shift(); upload && !current.signal.aborted; upload = queue.shift()) {
        const { name, file } = upload;
        setList(before => before.map(other => (other.name === name ? { name, file, state: 'running', sent: 0 } : other)));
        try {
          await sendFile({
            repository,
            branch,
            path: destinationOf(upload),
            file,
            signal: current.signal,
            onProgress: sent => change(name, { sent }),
          });
          change(name, { state: 'done', sent: file.size });
        } catch (error) {
          failed = true;
          change(name, {
            state: current.signal.aborted ? 'waiting' : 'failed',
            problem: current.signal.aborted ? 'cancelled' : messageOf(error),
          });
        }
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    setBusy(false);
    if (!failed && !current.signal.aborted) onWhole();
  };

  return {
    list,
    busy,
    destinationOf,
    /** What is in the list already stays. */
    add: (files: readonly NamedFile[]): void =>
      setList(before => {
        const known = new Set(before.map(({ name }) => name));
        return [...before, ...files.filter(({ name }) => !known.has(name)).map((file): Upload => ({ ...file, state: 'waiting', sent: 0 }))];
      }),
    remove: (name: string): void => setList(before => before.filter(upload => upload.name !== name)),
    start: (): void => void start(),
    stop: (): void => controller.current?.abort(),
  };
}

interface FileUpload {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
  readonly file: File;
  readonly signal: AbortSignal;
  readonly onProgress: (sent: number) => void;
}

/** `fetch` does not tell how much it has sent. */
function sendFile({ repository, branch, path, file, signal, onProgress }: FileUpload): Promise<void> {
  const { method, url, headers } = requestOf('uploadObject', { repository, branch, path });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.upload.onprogress = event => onProgress(event.loaded);
    request.onload = () => {
      if (request.status === 201) resolve();
      else reject(new Error(messageIn(request.responseText).message || `status ${request.status}`));
    };
    request.onerror = () => reject(new Error('The connection was lost.'));
    request.onabort = () => reject(new Error('cancelled'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
