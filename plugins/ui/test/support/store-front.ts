/** An S3 server in front of which a test stands: it sees each write of a browser, and can spoil it. */
import { request } from 'node:http';
import { createClient } from '@srv/engine/client';
import { ScriptedHttp, startSrv } from '@srv/test-servers';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface StoreFront {
  readonly url: string;
  /** A storage namespace that may be written below. */
  readonly namespace: string;
  /** Configuration of a server that stores here, and lets its page write here. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Requests so far: method, and the number of the part or `undefined`. */
  readonly seen: readonly Seen[];
  /** Those of them that the store has answered. */
  readonly answered: readonly Seen[];
  /** Writes that browsers had open at once, at most. */
  mostAtOnce(): number;
  /** A status instead of the store's answer to a browser's write; `hold` never answers. */
  spoil: (write: Seen) => Spoiled | Promise<Spoiled>;
  /** Takes the headers away that let other origins read answers. */
  withoutCors: boolean;
  close(): Promise<void>;
}

type Spoiled = number | 'hold' | undefined;

export interface Seen {
  readonly method: string;
  readonly part: string | undefined;
  readonly fromBrowser: boolean;
}

const bucket = 'front-bucket';

/** The product's own gateway, with CORS for pages of this machine. */
export async function startStoreFront(): Promise<StoreFront> {
  const store = await startSrv({
    plugins: ['metrics', 'gateway-s3'],
    config: { 'gateways.s3.cors_allowed_origins': ['http://127.0.0.1:*'] },
  });
  const client = createClient({ endpointUrl: store.url, ...store.key });
  await client.createRepository({ body: { name: bucket, storage_namespace: `local://${bucket}` } });
  client.close();
  const seen: Seen[] = [];
  const answered: Seen[] = [];
  let atOnce = 0;
  let most = 0;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const write = describe(incoming);
    seen.push(write);
    const isBrowsersWrite = write.fromBrowser && write.method === 'PUT';
    if (isBrowsersWrite) {
      most = Math.max(most, ++atOnce);
      outgoing.on('close', () => atOnce--);
    }
    const spoiled = isBrowsersWrite ? await own.spoil(write) : undefined;
    if (spoiled === 'hold') return;
    if (spoiled !== undefined) {
      refuse(incoming, outgoing, spoiled);
      return;
    }
    outgoing.on('finish', () => answered.push(write));
    const onward = request(store.url + (incoming.url ?? ''), { method: incoming.method, headers: incoming.headers }, answer => {
      const headers = Object.entries(answer.headers).filter(([name]) => !own.withoutCors || !name.startsWith('access-control-'));
      outgoing.writeHead(answer.statusCode ?? 0, Object.fromEntries(headers));
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.on('error', () => onward.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const front = await ScriptedHttp.open((incoming, outgoing) => void serve(incoming, outgoing));
  const { url } = front;
  const own: StoreFront = {
    url,
    namespace: `s3://${bucket}/main/lakes`,
    config: {
      'blockstore.type': 's3',
      'blockstore.s3.endpoint': url,
      'blockstore.s3.force_path_style': true,
      'blockstore.s3.discover_bucket_region': false,
      'blockstore.s3.disable_pre_signed_ui': false,
      'blockstore.s3.credentials.access_key_id': store.key.accessKeyId,
      'blockstore.s3.credentials.secret_access_key': store.key.secretAccessKey,
    },
    seen,
    answered,
    mostAtOnce: () => most,
    spoil: () => undefined,
    withoutCors: false,
    async close() {
      await front.close();
      await store.stop();
    },
  };
  return own;
}

function describe({ method = '', url = '', headers }: IncomingMessage): Seen {
  const part = new URL(url, 'http://store').searchParams.get('partNumber') ?? undefined;
  return { method, part, fromBrowser: headers.origin !== undefined };
}

/** As a store that is busy, but lets the page read so. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, status: number): void {
  incoming.resume().on('end', () => {
    outgoing.writeHead(status, { 'access-control-allow-origin': '*', 'content-type': 'application/xml' });
    outgoing.end('<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>');
  });
}
