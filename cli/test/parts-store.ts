/** A server with as much of the API as uploads in parts need, and the object store it uses. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ScriptedHttp } from '@srv/test-servers';
import type { IncomingMessage, ServerResponse } from 'node:http';

export class PartsStore {
  readonly url: string;
  /** Uploads begun and neither completed nor given up: MD5s of their parts. */
  readonly uploads = new Map<string, Map<number, string>>();
  /** Numbers of the parts that were sent, in the order in which they arrived. */
  readonly sent: number[] = [];
  /** MD5 of md5s by path. */
  readonly objects = new Map<string, string>();
  /** Uploads that were given up. */
  readonly aborted: string[] = [];
  /** Called before a part is taken; answers with this status when it returns one. */
  beforePart: (count: number) => number | undefined = () => undefined;
  /** Called after an upload is completed, before the answer. */
  afterComplete: () => void = () => {};
  readonly #server: ScriptedHttp;
  #begun = 0;

  private constructor(server: ScriptedHttp) {
    this.url = server.url;
    this.#server = server;
  }

  static async start(): Promise<PartsStore> {
    const server = await ScriptedHttp.open((request, response) => {
      store.#answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
    const store: PartsStore = new PartsStore(server);
    return store;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const path = url.searchParams.get('path') ?? '';
    if (url.pathname === '/part') return this.#takePart(url, request, response);
    const body = await buffer(request);
    const [, id, part] = /\/staging\/pmpu(?:\/([^/]+))?(?:\/parts\/(\d+))?$/.exec(url.pathname) ?? [];
    const json = (status: number, data: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
    const known = id !== undefined && this.uploads.has(id);
    if (url.pathname.endsWith('/config'))
      json(200, { storage_config: { blockstore_type: 's3', pre_sign_support: true, pre_sign_multipart_upload: true } });
    else if (url.pathname.endsWith('/objects/stat'))
      json(this.objects.has(path) ? 200 : 404, { ...this.#stat(path), message: 'not found' });
    else if (id === undefined) {
      const upload = `upload-${++this.#begun}`;
      this.uploads.set(upload, new Map());
      const count = Number(url.searchParams.get('parts'));
      json(201, {
        upload_id: upload,
        physical_address: `s3://bucket/${upload}`,
        presigned_urls: Array.from({ length: count }, (_, i) => this.#sign(upload, i + 1)),
      });
    } else if (part !== undefined) json(200, { presigned_url: this.#sign(id, Number(part)) });
    else if (request.method === 'DELETE') {
      this.uploads.delete(id);
      this.aborted.push(id);
      response.writeHead(204).end();
    } else if (known) {
      this.#complete(id, path, body);
      this.afterComplete();
      json(200, this.#stat(path));
    } else json(404, { message: 'no such upload' });
  }

  async #takePart({ searchParams: query }: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [id, number] = [query.get('upload') ?? '', Number(query.get('part'))];
    this.sent.push(number);
    const refusal = this.beforePart(this.sent.length);
    const md5 = createHash('md5')
      .update(await buffer(request))
      .digest('hex');
    const status = refusal ?? (this.uploads.has(id) ? 200 : 404);
    if (status === 200) this.uploads.get(id)?.set(number, md5);
    response.writeHead(status, { etag: `"${md5}"` }).end();
  }

  #complete(id: string, path: string, body: Buffer): void {
    const { parts } = JSON.parse(body.toString()) as { parts: { part_number: number; etag: string }[] };
    const stored = this.uploads.get(id);
    const whole = createHash('md5');
    for (const { part_number: number, etag } of parts) {
      if (stored?.get(number) !== etag) throw new Error(`part ${number} is not ${etag}`);
      whole.update(Buffer.from(etag, 'hex'));
    }
    this.objects.set(path, `${whole.digest('hex')}-${parts.length}`);
    this.uploads.delete(id);
  }

  /** Like the real thing, it says when it ends. */
  #sign(upload: string, part: number): string {
    const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
    return `${this.url}/part?upload=${upload}&part=${part}&X-Amz-Date=${date}&X-Amz-Expires=900&X-Amz-Signature=let-me-in`;
  }

  #stat(path: string) {
    return {
      path,
      path_type: 'object',
      physical_address: 's3://bucket/x',
      checksum: this.objects.get(path) ?? '',
      size_bytes: 0,
      mtime: 0,
    };
  }
}
