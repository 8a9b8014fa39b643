/** Sends operations for commands: their results as the client of the command line gives them. */
import { Readable } from '../without-node/stream.js';
import type { Server } from '@srv/lib-page/wire';
import type { Send } from '../../src/shell/server-client.js';

/** @param onChange is called for each operation that changed something. */
export function sender(server: Server, onChange: () => void): Send {
  return async (operationId, input, { signal, headers }) => {
    const response = await server.send(operationId, input, { signal, headers });
    if (!server.isReading(operationId)) onChange();
    const plain = Object.fromEntries(response.headers);
    return { status: response.status, headers: plain, data: await dataOf(server.resultOf(operationId), response, plain) };
  };
}

async function dataOf(kind: string | undefined, response: Response, headers: Readonly<Record<string, string>>): Promise<unknown> {
  if (kind === 'json') return response.json();
  if (kind === 'text') return response.text();
  if (kind === 'bytes') return { status: response.status, headers, body: new Readable(piecesOf(response)) };
  return undefined;
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // A reader that stops does not want the rest.
    void reader.cancel().catch(() => undefined);
  }
}
