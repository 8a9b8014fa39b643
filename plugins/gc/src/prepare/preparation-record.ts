/** What the task of a preparation keeps: the id of its run. */
import { ProtoWriter, readMessage } from '@srv/lib-records';

export function encodePreparation(runId: string): Buffer {
  return new ProtoWriter().string(1, runId).finish();
}

export function decodePreparation(bytes: Buffer): string {
  return readMessage(bytes, 'preparation of commits').text(1);
}
