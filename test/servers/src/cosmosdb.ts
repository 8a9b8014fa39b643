/**
 * A Cosmos DB emulator (@vercel/cosmosdb-server) on a free port, plain HTTP. It keeps its data in memory only: what goes
 * away with {@link TestServer.stop} are the listener and its connections, the data stay.
 */
import { HttpFront } from './http-front.js';
import { loadPackage } from './packages.js';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TestServer } from './test-server.js';

interface CosmosdbPackage {
  createHttpServer(options: { readonly keepAlive: boolean }): Server;
}

/** Any base64 text will do. */
const key = Buffer.from('a key for tests').toString('base64');

export async function startCosmosdb(): Promise<TestServer> {
  const { createHttpServer } = await loadPackage<CosmosdbPackage>('@vercel/cosmosdb-server');
  const emulator = createHttpServer({ keepAlive: true });
  const front = await HttpFront.open((request, response) => {
    if (new URL(request.url ?? '/', 'http://any').pathname === '/') comeBackHere(request, response);
    emulator.emit('request', request, response);
  });
  // The emulator asks for its own address when it starts to listen; here the front listens.
  const { hostname, port } = new URL(front.url);
  Object.assign(emulator, { address: () => ({ address: hostname, family: 'IPv4', port: Number(port) }) }).emit('listening');
  return {
    url: front.url,
    env: {
      SRV_DATABASE_TYPE: 'cosmosdb',
      SRV_DATABASE_COSMOSDB_ENDPOINT: front.url,
      SRV_DATABASE_COSMOSDB_KEY: key,
      SRV_DATABASE_COSMOSDB_DATABASE: 'srv',
      SRV_DATABASE_COSMOSDB_CONTAINER: 'kv',
    },
    stop: () => front.stop(),
    start: () => front.start(),
    close: () => front.stop(),
  };
}

/** The emulator answers with its own HTTPS address. This puts the address of the request there, so that clients stay with a proxy. */
function comeBackHere(request: IncomingMessage, response: ServerResponse): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  const here = `http://${request.headers.host}`;
  Object.assign(response, { end: (body: string) => end(body.replaceAll(/https:\/\/[^/"]+/g, here)) });
}
