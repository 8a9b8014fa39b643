/** Sends files the way that fits them, and keeps what large ones have sent for the next try. */

import { storage } from '@srv/lib-page/page';
import { useEffect, useRef } from 'preact/hooks';
import { isLarge } from '../../../../src/model/part-plan.js';
import { PartsUpload, isHopeless } from './parts-upload.js';
import { sendThroughServer, sendToStore } from './send-file.js';
import type { FileUpload } from './send-file.js';

interface Sender {
  send(upload: FileUpload): Promise<void>;
  /** What was sent of a file is not needed any more. */
  forget(path: string): Promise<void>;
}

/** @param direct files go to the object store itself. */
export function useSender(direct: boolean): Sender {
  /** By destination: uploads in parts that can be resumed. */
  const begun = useRef(new Map<string, PartsUpload>()).current;
  const forget = async (path: string): Promise<void> => {
    const parts = begun.get(path);
    begun.delete(path);
    await parts?.giveUp();
  };
  useEffect(
    () => () => {
      for (const path of begun.keys()) void forget(path);
    },
    [],
  );
  const sendInParts = async (upload: FileUpload): Promise<void> => {
    let parts = begun.get(upload.path);
    if (!parts?.isOf(upload.file)) {
      // Stored parts may be of a file whose place in the list another one has taken.
      await forget(upload.path);
      parts = new PartsUpload(upload);
      begun.set(upload.path, parts);
    }
    try {
      await parts.run(upload);
      begun.delete(upload.path);
    } catch (error) {
      if (upload.signal.aborted || isHopeless(error)) await forget(upload.path);
      throw error;
    }
  };
  return {
    forget,
    send: upload => {
      if (!direct) return sendThroughServer(upload);
      const inParts = storage(upload.repository)?.pre_sign_multipart_upload === true && isLarge(upload.file.size);
      return inParts ? sendInParts(upload) : sendToStore(upload);
    },
  };
}
