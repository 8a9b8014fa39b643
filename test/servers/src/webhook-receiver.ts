/** A receiver of webhooks that records requests and sends the responses that a test defines. */

import { text } from 'node:stream/consumers';
import { ScriptedHttp } from './scripted-http.js';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface ReceivedEvent {
  readonly method: string;
  /** Path with the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly ReceivedEvent[];
  /** How it answers from now on; at first with 200 and `ok`. */
  answer(next: (event: ReceivedEvent, response: ServerResponse, request: IncomingMessage) => void): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedEvent[] = [];
  let next: Parameters<WebhookReceiver['answer']>[0] = (_, response) => response.end('ok');
  const server = await ScriptedHttp.open((request, response) => {
    text(request).then(
      body => {
        const event = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        received.push(event);
        next(event, response, request);
      },
      // A sender that goes away in the middle is its own concern.
      () => undefined,
    );
  });
  return {
    url: server.url,
    received,
    answer(wanted) {
      next = wanted;
    },
    close: () => server.close(),
  };
}
