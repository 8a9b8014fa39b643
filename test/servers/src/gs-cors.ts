/** Requests of browsers on pages of other origins, as the rules of a bucket allow them. */
import type { IncomingMessage } from 'node:http';

/** As in the resource of a bucket. */
export interface GsCorsRule {
  readonly origin: readonly string[];
  readonly method: readonly string[];
  /** Headers that a request may send, and those of the answer that a page may read. */
  readonly responseHeader?: readonly string[];
}

/** Headers of the answer to a request or to the question before it; none where no rule fits. */
export function corsHeaders({ method, headers }: IncomingMessage, rules: readonly GsCorsRule[]): Readonly<Record<string, string>> {
  const { origin } = headers;
  if (origin === undefined) return {};
  const isQuestion = method === 'OPTIONS';
  const wanted = isQuestion ? headers['access-control-request-method'] : method;
  const rule = rules.find(each => has(each.origin, origin) && has(each.method, wanted ?? ''));
  if (!rule) return {};
  const named = rule.responseHeader ?? [];
  const sent = String(headers['access-control-request-headers'] ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  const known = named.map(name => name.toLowerCase());
  if (isQuestion && !sent.every(name => known.includes(name))) return {};
  const seen = isQuestion
    ? { 'access-control-allow-methods': rule.method.join(','), 'access-control-allow-headers': sent.join(',') }
    : { 'access-control-expose-headers': named.join(', ') };
  return { 'access-control-allow-origin': rule.origin.includes('*') ? '*' : origin, vary: 'Origin', ...seen };
}

const has = (names: readonly string[], name: string): boolean => names.includes('*') || names.includes(name);
