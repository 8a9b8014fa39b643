/** Uploads under way: a few at a time, each with its progress; those that fail can be sent again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isLarge } from '../../../../src/model/part-plan.js';
import { messageOf, storage } from '@srv/lib-page/page';
import { PartsUpload, isHopeless } from './parts-upload.js';
import { sendThroughServer, sendToStore } from './send-file.js';
import type { NamedFile } from './dropped-files.js';
import type { FileUpload } from './send-file.js';

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
  /** Files go to the object store itself. */
  readonly direct: boolean;
  /** Everything is uploaded. */
  readonly onWhole: () => void;
}

const atATime = 5;

export function useUploads({ repository, branch, folder, direct, onWhole }: Destination) {
  const [list, setList] = useState<readonly Upload[]>([]);
  const [busy, setBusy] = useState(false);
  const controller = useRef<AbortController | undefined>(undefined);
  /** By destination: uploads in parts that can be resumed. */
  const begun = useRef(new Map<string, PartsUpload>()).current;
  const change = (name: string, part: Partial<Upload>): void =>
    setList(before => before.map(upload => (upload.name === name ? { ...upload, ...part } : upload)));
  const destinationOf = ({ name }: NamedFile): string => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`) + name;
  const giveUpAll = (): void => {
    for (const upload of begun.values()) void upload.giveUp();
    begun.clear();
  };
  useEffect(() => giveUpAll, []);
  useEffect(() => {
    if (!busy) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [busy]);

  const sendInParts = async (upload: FileUpload): Promise<void> => {
    const parts = begun.get(upload.path) ?? new PartsUpload(upload);
    begun.set(upload.path, parts);
    try {
      await parts.run(upload);
      begun.delete(upload.path);
    } catch (error) {
      if (upload.signal.aborted || isHopeless(error)) {
        begun.delete(upload.path);
        await parts.giveUp();
      }
      throw error;
    }
  };
  const send = (upload: FileUpload): Promise<void> => {
    if (!direct) return sendThroughServer(upload);
    const inParts = storage()?.pre_sign_multipart_upload === true && isLarge(upload.file.size);
    return inParts ? sendInParts(upload) : sendToStore(upload);
  };

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
          await send({
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
    remove: (upload: Upload): void => {
      const path = destinationOf(upload);
      void begun.get(path)?.giveUp();
      begun.delete(path);
      setList(before => before.filter(({ name }) => name !== upload.name));
    },
    start: (): void => void start(),
    stop: (): void => controller.current?.abort(),
  };
}
