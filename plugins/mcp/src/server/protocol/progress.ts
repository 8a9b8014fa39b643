/** An answer as a stream of events: the progress of a request that takes long, then its result. */
import { PassThrough } from 'node:stream';
import type { HttpResponse } from '@srv/http/contract';
import type { RequestId } from './errors.js';

/** Milliseconds after which a client hears that the work is still under way. */
const period = 5000;

const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' };

/** Says what is being done now. */
export type Report = (step: string) => void;

/**
 * @param token by which the client knows the progress.
 * @param work its result is the last message; `undefined`: the client gets no more.
 */
export function withProgress(token: RequestId, work: (report: Report) => Promise<object | undefined>): HttpResponse {
  const body = new PassThrough();
  const send = (message: object): void => {
    if (!body.destroyed) body.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  const begun = performance.now();
  let [progress, latest] = [-1, ''];
  const report: Report = message => {
    latest = message;
    // Seconds. How much there is to do is not known; two steps at once must differ all the same.
    progress = Math.max(Math.round(performance.now() - begun) / 1000, progress + 0.001);
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress, message } });
  };
  const timer = setInterval(() => report(latest), period);
  body.once('close', () => clearInterval(timer));
  void work(report).then(
    message => {
      if (message) send(message);
      clearInterval(timer);
      body.end();
    },
    (error: unknown) => body.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return { status: 200, headers, body };
}
