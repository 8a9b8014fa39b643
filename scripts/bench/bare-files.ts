/** A bare file server that benchmarks compare ours with: it hashes what it is sent and makes it durable. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @param fileOf the file of a request's target. @returns the port. */
export function serveBareFiles(fileOf: (target: string) => string): Promise<number> {
  const server = createServer((request, response) => {
    respond(request, response, fileOf(request.url ?? '')).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  return listen(server);
}

/** @returns a free port of 127.0.0.1 that the server now listens on. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function respond(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-length', (await stat(file)).size);
    await pipeline(createReadStream(file), response);
    return;
  }
  const hash = createHash('md5');
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(request, meter, createWriteStream(file, { flush: true }));
  response.writeHead(200, { etag: `"${hash.digest('hex')}"`, 'content-length': 0 }).end();
}
