/** The empty document whose policy lets the page connect to an object store. */
import { SrvError } from '@srv/kernel';
import { storeAccessHeaders } from './content-security.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/http/contract';
import type { HttpServer } from '@srv/kernel';

/** @param originOf the origin of a repository's store; `undefined` if it has no origin. */
export function addStoreAccess(listener: HttpServer, originOf: (repository: string) => Promise<string | undefined>): void {
  const server: Server = listener;
  server.route({
    method: 'GET',
    path: '/store-access',
    options: { plugins: { http: { audit: false } } },
    async handler(request, h) {
      const { repository, origin } = request.query as Readonly<Record<string, unknown>>;
      // The caller already has the origin from a signed URL: this does not reveal where a repository is stored.
      const known = typeof repository === 'string' ? await originOf(repository) : undefined;
      if (known === undefined || known !== origin)
        throw new SrvError('not_found', 'this is not where the repository is stored; reload the page');
      const response = h.response('<!doctype html><title>Connection to the object store</title>').type('text/html; charset=utf-8');
      for (const [name, value] of Object.entries(storeAccessHeaders(known))) response.header(name, value);
      return response;
    },
  });
}
