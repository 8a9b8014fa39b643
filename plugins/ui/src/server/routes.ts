/** Files of the page below `/assets`, and its document for every address that belongs to it. */
import { createReadStream } from 'node:fs';
import { SrvError } from '@srv/kernel';
import { partScriptHeaders, scriptHeaders } from './content-security.js';
import { acceptedEncoding } from './encoding.js';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type {} from '@srv/http/contract';
import type { HttpServer } from '@srv/kernel';
import type { Asset, Assets, Encoding, FileAsset } from './assets.js';
import type { PageDocument } from './document.js';

interface Site {
  readonly assets: Assets;
  readonly document: PageDocument;
  /** Of the document. */
  readonly headers: Readonly<Record<string, string>>;
}

/** First segments that belong to others: a program that asks there wants an error, not a page. */
const others = new Set(['api', 'assets', 'metrics', '_health', 'openapi.json', 'logout', 'oidc', 'saml', 'iceberg', 'mds']);

const unheard = { plugins: { http: { audit: false } } } as const;

export function addPageRoutes(listener: HttpServer, site: Site): void {
  const { assets } = site;
  const server: Server = listener;
  server.route({
    method: 'GET',
    path: '/assets/{name*}',
    options: unheard,
    async handler(request, h) {
      const name = String(request.params.name);
      const file = assets.findFile(name);
      const asset = file ?? (await assets.find(name));
      // Never the document: an old page would run it as script.
      if (!asset) throw new SrvError('not_found', `there is no file assets/${name}; reload the page`);
      const response = send(h, request, asset).header('Cache-Control', 'public, max-age=31536000, immutable');
      const headers = name.endsWith('.js') ? (file ? partScriptHeaders : scriptHeaders) : {};
      for (const [header, value] of Object.entries(headers)) response.header(header, value);
      return response;
    },
  });
  server.route({
    method: 'GET',
    path: '/robots.txt',
    options: unheard,
    handler: (_request, h) => h.response('User-agent: *\nDisallow: /\n').type('text/plain'),
  });
  server.route({
    // Routes for all methods are looked at last: those of others, such as `/logout`, keep their turn.
    method: '*',
    path: '/{path*}',
    options: { plugins: { http: { audit: false, readsQuery: false } }, payload: { parse: false, output: 'stream' } },
    handler: (request, h) => sendDocument(site, request, h),
  });
}

async function sendDocument({ document, headers }: Site, request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  const path = (request.raw.req.url ?? '/').split('?', 1)[0] ?? '/';
  const reads = request.method === 'get' || request.method === 'head';
  // At the root even a program sees that the server has a page; clients with a wrong address of the API recognise it by the page.
  const isForeignApi = path.startsWith('/api/') && !path.startsWith('/api/v1/');
  const wantsPage = reads && (path === '/' || isForeignApi || String(request.headers.accept ?? '').includes('text/html'));
  if (!wantsPage || (!isForeignApi && others.has(path.split('/')[1] ?? '')))
    throw new SrvError('not_found', `there is nothing at ${path}; the API is below /api/v1`);
  const rendered = await document.at(path);
  const unchanged = request.headers['if-none-match'] === rendered.etag;
  const response = unchanged ? h.response().code(304) : send(h, request, rendered);
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  // hapi would append the encoding to a tag of its own.
  return response.header('ETag', rendered.etag).header('Cache-Control', 'no-cache').vary('Accept').vary('Accept-Encoding');
}

function send(h: ResponseToolkit, request: Request, asset: Asset | FileAsset): ResponseObject {
  const encoding = acceptedEncoding(String(request.headers['accept-encoding'] ?? ''));
  const response = bodyOf(h, asset, encoding).header('Content-Type', asset.type).vary('Accept-Encoding');
  const isCompressed = encoding !== 'identity' && !('files' in asset && asset.files[encoding].path === asset.files.identity.path);
  return isCompressed ? response.header('Content-Encoding', encoding) : response;
}

function bodyOf(h: ResponseToolkit, asset: Asset | FileAsset, encoding: Encoding): ResponseObject {
  if ('bodies' in asset) return h.response(asset.bodies[encoding]);
  const { path, size } = asset.files[encoding];
  // Until the response is sent, nothing else listens.
  return h.response(createReadStream(path).on('error', () => {})).bytes(size);
}
