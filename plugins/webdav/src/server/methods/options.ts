/** OPTIONS: what is offered. Windows gives up after a 401 to it, so that it needs no credentials. */
import type { HttpResponse } from '@srv/http/contract';

export const methods = 'OPTIONS, GET, HEAD, PROPFIND, PROPPATCH, PUT, MKCOL, DELETE, COPY, MOVE, LOCK, UNLOCK';
const readMethods = 'OPTIONS, GET, HEAD, PROPFIND';

/** @param canWrite whether locks and writes are offered: clients mount what has no locks read-only. */
export function options(canWrite: boolean): HttpResponse {
  return {
    status: 200,
    headers: { DAV: canWrite ? '1, 2, 3' : '1', Allow: canWrite ? methods : readMethods, 'MS-Author-Via': 'DAV', 'Accept-Ranges': 'bytes' },
  };
}
