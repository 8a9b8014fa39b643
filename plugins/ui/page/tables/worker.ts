/** Tables in a worker: whatever a file holds, the page stays quick, and can end the work at any time. */
import { Server, messageOf } from '@srv/lib-page/wire';
import { TableServer } from '@srv/lib-records/tables/table-server';
import type { OperationRow } from '@srv/lib-page/wire';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FromTableWorker, Progress, TableBoot, TableObject, ToTableWorker } from '@srv/lib-records/tables/table-protocol';

/** Type definitions of workers and of pages exclude each other; this is all that is used. */
interface WorkerScope {
  postMessage(message: FromTableWorker): void;
  addEventListener(name: 'message', listener: (event: { readonly data: ToTableWorker }) => void): void;
}

const scope: WorkerScope = self;
const post = (message: FromTableWorker): void => scope.postMessage(message);
/** Milliseconds between two reports of progress. */
const reportEvery = 100;

let tables: TableServer | undefined;

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') tables = start(data.boot);
  else if (tables) void answer(tables, data);
});

function start({ version, operations, base }: TableBoot): TableServer {
  const server = new Server({
    version,
    operations: operations as Readonly<Record<string, OperationRow>>,
    base,
    onSessionEnd: () => post({ kind: 'session-over' }),
  });
  return new TableServer(object => sourceOf(server, object));
}

function sourceOf(server: Server, { repository, ref, path, size }: TableObject): ByteSource {
  return {
    size,
    async read(from, to) {
      if (to <= from) return new Uint8Array();
      const response = await server.send('getObject', { repository, ref, path, Range: `bytes=${from}-${to - 1}` });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length !== to - from) throw new Error('the object has changed while it was read; open it again');
      return bytes;
    },
  };
}

async function answer(server: TableServer, { id, name, input }: Extract<ToTableWorker, { readonly kind: 'ask' }>): Promise<void> {
  let last = 0;
  const report = (progress: Progress): void => {
    const now = performance.now();
    if (!progress.done && now - last < reportEvery) return;
    last = now;
    post({ kind: 'progress', id, progress });
  };
  try {
    post({ kind: 'done', id, output: await server.run(name, input as never, report) });
  } catch (error) {
    const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : undefined;
    post({ kind: 'failed', id, message: messageOf(error), status });
  }
}
