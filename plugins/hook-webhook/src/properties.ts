/** Properties of a webhook (actions sheet, section 6), with the messages that clients know. */

import { asProperties, durationOf, missing, requireHttp } from '@srv/lib-api/hook-types';
import type { HookProperties } from '@srv/lib-api/hook-types';

export interface WebhookProperties {
  readonly url: string;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** In the order of the file. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Key of the signature of the body; absent: it is not signed. */
  readonly signatureSecret?: string | undefined;
}

const usualTimeout = 60_000;
const wrongFormat = 'webhook wrong format';

export const webhookProperties: HookProperties<WebhookProperties> = {
  validate(given) {
    try {
      return { value: read(asProperties(given)) };
    } catch (error) {
      return { error: error as Error };
    }
  },
};

function read(properties: Readonly<Record<string, unknown>>): WebhookProperties {
  const { url, timeout, query_params: query, headers, signature_secret: secret } = properties;
  if (url === undefined || url === null) throw new Error(missing('url'));
  if (typeof url !== 'string') throw new Error(`webhook url must be string: ${wrongFormat}`);
  requireHttp(url);
  const milliseconds = durationOf(timeout, usualTimeout);
  if (milliseconds === undefined)
    throw new Error(`webhook request duration: ${JSON.stringify(timeout)} is not a duration such as 30s or 1m30s`);
  if (secret !== undefined && (typeof secret !== 'string' || secret === ''))
    throw new Error(`signature_secret must be text: ${wrongFormat}`);
  return {
    url,
    timeout: milliseconds,
    query: queryOf(query),
    headers: headersOf(headers),
    signatureSecret: secret,
  };
}

function queryOf(given: unknown): WebhookProperties['query'] {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object' || Array.isArray(given))
    throw new Error(`extracting query params: unsupported query params: ${wrongFormat}`);
  return Object.entries(given).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map(item => [name, textIn(item, 'query params array should contains only strings')] as const);
    return [[name, textIn(value, 'query params single value should be of type string')] as const];
  });
}

function textIn(value: unknown, complaint: string): string {
  if (typeof value !== 'string') throw new Error(`extracting query params: ${complaint}: ${wrongFormat}`);
  return value;
}

function headersOf(given: unknown): WebhookProperties['headers'] {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object' || Array.isArray(given)) throw new Error(`extracting headers: unsupported headers: ${wrongFormat}`);
  return Object.entries(given).map(([name, value]) => {
    if (typeof value !== 'string') throw new Error(`extracting headers: headers array should contains only strings: ${wrongFormat}`);
    return [name, value];
  });
}
