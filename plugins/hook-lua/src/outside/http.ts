/** HTTP requests of scripts. */
import { STATUS_CODES } from 'node:http';
import got from 'got';
import { readWhole } from './protocol.js';
import type { Method } from 'got';
import type { OutsideService } from './protocol.js';

/** Milliseconds of a request with its answer. */
const timeout = 30_000;

const http: OutsideService = {
  async request(input, limits) {
    const url = input.text('url');
    if (url === '') throw new Error('missing request url');
    const body = input.has('body') ? input.bytes('body') : undefined;
    const method = (input.optional('method') ?? (body ? 'POST' : 'GET')) as Method;
    const stream = got.stream(url, {
      method,
      headers: { 'user-agent': 'srv-lua', ...(input.record('headers') as Record<string, string | string[]>) },
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { request: timeout },
      followRedirect: true,
      allowGetBody: true,
      ...(body ? { body } : {}),
    });
    if (!body) stream.end();
    const answered = new Promise<{
      readonly statusCode: number;
      readonly statusMessage?: string | undefined;
      readonly rawHeaders: readonly string[];
    }>((resolve, reject) => {
      stream.once('response', resolve);
      stream.once('error', reject);
    });
    const response = await answered;
    const content = await readWhole(stream, limits);
    const text = response.statusMessage || STATUS_CODES[response.statusCode] || '';
    return {
      status: response.statusCode,
      statusText: `${response.statusCode} ${text}`.trim(),
      headers: headersOf(response.rawHeaders),
      body: content,
    };
  },
};

export default http;

/** Values by name, with each part of a name capitalised. */
function headersOf(raw: readonly string[]): Readonly<Record<string, string[]>> {
  const headers: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase().replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
    headers[name] = [...(headers[name] ?? []), raw[i + 1] ?? ''];
  }
  return { ...headers };
}
