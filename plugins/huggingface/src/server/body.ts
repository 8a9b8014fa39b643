/** Bodies that are read whole. */
import { isUtf8 } from 'node:buffer';
import { readBody } from '@srv/lib-api/http';
import { HubError } from './errors.js';
import type { RawExchange } from '@srv/http/contract';
import type { HubContext } from './context.js';

/** Bytes: 256 files with a sample of 512 bytes each take half of it. */
const maxBytes = 1 << 20;

async function readText({ request, response }: Pick<RawExchange, 'request' | 'response'>): Promise<string> {
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = await readBody(request, {
    limit: maxBytes,
    tooLarge: () => new HubError(413, `the body has more than ${maxBytes} bytes`),
    tooSlow: () => new HubError(408, 'the body did not arrive within a minute'),
  });
  return textOf(body);
}

/** @throws HubError 400: names with replaced characters would be other names. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HubError(400, 'the body is not UTF-8');
  return bytes.toString('utf8');
}

/** No body counts as an empty object. @throws HubError 400. */
export function readJson({ face }: Pick<HubContext, 'face'>): Promise<Readonly<Record<string, unknown>>> {
  return readJsonBody(face.exchange);
}

/** Of a request without credentials. @throws HubError 400. */
export async function readJsonBody(exchange: Pick<RawExchange, 'request' | 'response'>): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(exchange);
  if (text.trim() === '') return {};
  return parseObject(text);
}

/** @throws HubError 400. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HubError(400, 'the body is not JSON');
  }
  if (!isRecord(value)) throw new HubError(400, 'the body is not a JSON object');
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textMember(value: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** Values of a field: of a form, which the Python client sends, or of JSON. */
export async function readValues(context: Pick<HubContext, 'face' | 'request'>, name: string): Promise<readonly string[]> {
  const text = await readText(context.face.exchange);
  if (!/^application\/json\b/i.test(context.request.headers['content-type'] ?? '')) return new URLSearchParams(text).getAll(name);
  const values = parseObject(text)[name];
  return Array.isArray(values) ? values.filter(value => typeof value === 'string') : [];
}
