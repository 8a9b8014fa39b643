/**
 * Child process of the benchmark `cli`: moves files with nothing but node:http, to compare with. It sends the requests that
 * `cli` sends, and checks no byte. Arguments: `upload` or `download`, the API's URL, the repository, the prefix, the folder,
 * and how many files at a time. The header `authorization` comes by the variable of that name.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

const [direction = '', api = '', repository = '', prefix = '', folder = '', parallelism = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(parallelism) });
const { authorization = '' } = process.env;
/** Bytes up to which a file is held in memory. */
const small = 2 ** 20;

interface Page {
  readonly results: readonly { readonly path: string; readonly size_bytes: number }[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

if (direction === 'upload') await inParallel(filesOf(folder), upload);
else await inParallel(objects(), download);
agent.destroy();

async function upload(file: string): Promise<void> {
  const { size } = await stat(file);
  const path = encodeURIComponent(prefix + relative(folder, file));
  const outgoing = start('POST', `branches/main/objects?path=${path}`, { 'content-length': String(size) });
  const answer = answerTo(outgoing);
  if (size <= small) outgoing.end(await readFile(file));
  else await pipeline(createReadStream(file), outgoing);
  await bytesOf(await answer);
}

async function download({ path, size_bytes: size }: Page['results'][number]): Promise<void> {
  const file = join(folder, path.slice(prefix.length));
  await mkdir(dirname(file), { recursive: true });
  const outgoing = start('GET', `refs/main/objects?path=${encodeURIComponent(path)}`);
  outgoing.end();
  const answer = await answerTo(outgoing);
  if (size <= small) await writeFile(file, await bytesOf(answer));
  else await pipeline(answer, createWriteStream(file));
}

function start(method: string, path: string, headers: Readonly<Record<string, string>> = {}): ClientRequest {
  return httpRequest(`${api}/repositories/${repository}/${path}`, { method, agent, headers: { authorization, ...headers } });
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject).once('response', answer => {
      const { statusCode = 0 } = answer;
      if (statusCode < 300) resolve(answer);
      else reject(new Error(`${outgoing.method} ${outgoing.path}: status ${statusCode}`));
    });
  });
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* filesOf(place: string): AsyncGenerator<string> {
  for (const entry of await readdir(place, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

async function* objects(): AsyncGenerator<Page['results'][number]> {
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ prefix, after, amount: '1000', user_metadata: 'false' });
    const outgoing = start('GET', `refs/main/objects/ls?${query.toString()}`);
    outgoing.end();
    const page = JSON.parse((await bytesOf(await answerTo(outgoing))).toString('utf8')) as Page;
    yield* page.results;
    if (!page.pagination.has_more) return;
    after = page.pagination.next_offset;
  }
}

async function inParallel<T>(items: AsyncGenerator<T>, work: (item: T) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: Number(parallelism) }, async () => {
      for (let next = await items.next(); !next.done; next = await items.next()) await work(next.value);
    }),
  );
}
