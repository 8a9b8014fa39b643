/**
 * Put Block From URL, which Azurite does not offer: a server in front of it that fetches the source, as the service would,
 * and stages what it got as a block. All else is passed on.
 */
import { BlockBlobClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AzuriteServer } from '@srv/test-servers/azure';

export interface CopyingAzure {
  readonly url: string;
  /** Ranges that were copied by the server. */
  readonly copied: string[];
  /** Called before each block is staged. */
  beforeBlock: () => Promise<void>;
  close(): Promise<void>;
}

export async function openCopyingAzure(azurite: AzuriteServer): Promise<CopyingAzure> {
  const origin = new URL(azurite.url).origin;
  const key = new StorageSharedKeyCredential(azurite.account, azurite.accessKey);
  const copied: string[] = [];

  async function stage(request: IncomingMessage, response: ServerResponse, source: string): Promise<void> {
    await copying.beforeBlock();
    const url = new URL(request.url ?? '/', origin);
    const range = String(request.headers['x-ms-source-range'] ?? '');
    const read = await fetch(source.replace(copying.url.replace(/\/[^/]*$/, ''), origin), { headers: range === '' ? {} : { range } });
    const bytes = Buffer.from(await read.arrayBuffer());
    if (!read.ok) {
      response.writeHead(read.status, { 'x-ms-error-code': 'CannotVerifyCopySource' }).end();
      return;
    }
    const blob = new BlockBlobClient(`${origin}${url.pathname}`, key);
    await blob.stageBlock(url.searchParams.get('blockid') ?? '', bytes, bytes.length);
    copied.push(range);
    response.writeHead(201).end();
  }

  const http = await ScriptedHttp.open((request, response) => {
    const source = request.headers['x-ms-copy-source'];
    if (typeof source !== 'string' || !request.url?.includes('comp=block')) {
      passOn(origin, request, response);
      return;
    }
    request.resume();
    stage(request, response, source).catch(() => response.destroy());
  });
  const copying: CopyingAzure = {
    url: `${http.url}/${azurite.account}`,
    copied,
    beforeBlock: async () => undefined,
    close: () => http.close(),
  };
  return copying;
}
