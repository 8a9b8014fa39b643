/** A refused upload: the client is still sending, and reads the answer only when it is done or the connection ends. */
import type { IncomingMessage } from 'node:http';

const limits = { bytes: 16 * 1024 * 1024, ms: 10_000 };

/**
 * Reads and drops what is left of a body, so that the connection can go on; gives up on large or slow ones, whose
 * connection then closes after the answer.
 */
export async function drainBody(request: IncomingMessage): Promise<void> {
  // The client has been told neither to go on nor to stop, and sends nothing.
  if (request.headers.expect !== undefined || request.readableEnded || request.destroyed) return;
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) return;
  await new Promise<void>(resolve => {
    let seen = 0;
    const timer = setTimeout(finish, limits.ms);
    function count(chunk: Buffer): void {
      seen += chunk.length;
      if (seen > limits.bytes) finish();
    }
    function finish(): void {
      clearTimeout(timer);
      request.off('data', count).off('end', finish).off('close', finish).pause();
      resolve();
    }
    request.on('data', count).once('end', finish).once('close', finish).resume();
  });
}
