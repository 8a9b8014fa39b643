/** Uploads under way: a few at a time; those that fail can be sent again. */

import { messageOf } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSender } from './sender.js';
import { useUploadList } from './upload-list.js';
import type { NamedFile } from './dropped-files.js';
import type { Upload } from './upload-list.js';

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
  const { list, add, remove, restart, change } = useUploadList();
  const { send, forget } = useSender(direct);
  const [busy, setBusy] = useState(false);
  const controller = useRef<AbortController | undefined>(undefined);
  useLeaveQuestion(busy);
  const destinationOf = ({ name }: NamedFile): string => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`) + name;

  /** @returns whether the file is uploaded. */
  const sendOne = async (upload: Upload, signal: AbortSignal): Promise<boolean> => {
    const { file } = upload;
    restart(upload);
    try {
      await send({ repository, branch, path: destinationOf(upload), file, signal, onProgress: sent => change(upload, { sent }) });
      change(upload, { state: 'done', sent: file.size });
      return true;
    } catch (error) {
      change(upload, signal.aborted ? { state: 'waiting', problem: 'cancelled' } : { state: 'failed', problem: messageOf(error) });
      return false;
    }
  };
  const start = async (): Promise<void> => {
    const current = new AbortController();
    controller.current = current;
    setBusy(true);
    const queue = list.filter(({ state }) => state !== 'done');
    let isWhole = true;
    const work = async (): Promise<void> => {
      for (let upload = queue.shift(); upload && !current.signal.aborted; upload = queue.shift())
        if (!(await sendOne(upload, current.signal))) isWhole = false;
    };
    await Promise.all(Array.from({ length: atATime }, work));
    setBusy(false);
    if (isWhole && !current.signal.aborted) onWhole();
  };

  return {
    list,
    busy,
    destinationOf,
    add,
    remove: (upload: Upload): void => {
      void forget(destinationOf(upload));
      remove(upload.name);
    },
    start: (): void => void start(),
    stop: (): void => controller.current?.abort(),
  };
}

/** The browser asks before the page is left. */
function useLeaveQuestion(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isOn]);
}
