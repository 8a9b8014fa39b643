/** The engine's worker: answers one request after the other. */
import './no-network.js';
import { Database } from './database.js';
import type { FromWorker, RequestName, Requests, ToWorker } from './protocol.js';

let database: Database | undefined;

function opened(): Database {
  if (!database) throw new Error('the engine has not been started');
  return database;
}

async function answer(request: ToWorker): Promise<Requests[RequestName]['output']> {
  if (request.name === 'start') database = await Database.open(request.input.wasm);
  else if (request.name === 'addFile') opened().addFile(request.input.name, request.input.content);
  else if (request.name === 'dropFile') opened().dropFile(request.input.name);
  else if (request.name === 'exportResult') return opened().exportResult(request.input.format);
  else return opened().run(request.input.sql, request.input.isQuery, request.input.writes);
  return undefined;
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  const reply = (message: FromWorker): void => postMessage(message);
  answer(data).then(
    output => reply({ id: data.id, output }),
    (error: unknown) => reply({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
});
