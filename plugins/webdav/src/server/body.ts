/** Bodies of requests that are read whole. */
import { readBody } from '@srv/lib-api/http';
import { DavError } from './errors.js';
import { readXml } from './xml/read.js';
import type { DavContext } from './context.js';
import type { XmlElement } from './xml/read.js';

/** Bytes of an XML body. */
const maxXmlBytes = 128 * 1024;

/** @throws DavError 413, 408; 415 for an encoding. */
export async function readWhole({ face, request }: DavContext, limit: number): Promise<Buffer> {
  if (request.headers['content-encoding'] !== undefined)
    throw new DavError(415, `the body has the encoding ${request.headers['content-encoding']}; send it without one`);
  face.acceptBody();
  return readBody(request, {
    limit,
    tooLarge: () => new DavError(413, `the body has more than ${limit} bytes`),
    tooSlow: () => new DavError(408, 'the body did not arrive within a minute'),
  });
}

/** @returns `undefined` for a request without body. */
export async function readXmlBody(context: DavContext): Promise<XmlElement | undefined> {
  const body = await readWhole(context, maxXmlBytes);
  if (body.length === 0) return undefined;
  if (body.includes(0)) throw new DavError(400, 'the XML body is not UTF-8; send it in that encoding');
  return readXml(body.toString('utf8'));
}

/** Whether a request has a body at all. */
export function hasBody({ request: { headers } }: DavContext): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
