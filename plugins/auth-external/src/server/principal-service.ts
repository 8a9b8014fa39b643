/** Principals of other systems, and the users they sign in as, over an external authorization service. */
import { SrvError } from '@srv/kernel';
import { wirePage, wirePrincipal } from '@srv/lib-auth/authorization';
import type { AccountService, AuthPage, ExternalPrincipal } from '@srv/auth/contract';
import type { WirePrincipal } from '@srv/lib-auth/authorization';
import type { ServiceClient } from './service-client.js';

const principalOf = ({ id, user_id: username }: WirePrincipal): ExternalPrincipal => ({ id, username });

export function createPrincipalService(service: ServiceClient) {
  const principals = (username: string) => ['auth', 'users', username, 'external', 'principals'];
  return {
    async createPrincipal(username, id) {
      await service.send({
        method: 'POST',
        path: principals(username),
        expect: 201,
        missing: 'user not found',
        query: { principalId: id },
      });
    },
    async deletePrincipal(username, id) {
      const missing = 'external principal not found';
      await service.send({ method: 'DELETE', path: principals(username), expect: 204, missing, query: { principalId: id } });
    },
    async findPrincipal(id) {
      const path = ['auth', 'external', 'principals'];
      const found = await service.find(wirePrincipal, { method: 'GET', path, expect: 200, query: { principalId: id } });
      if (found && found.id !== id)
        throw new SrvError('internal', 'authorization service: the response is about another principal than the requested one');
      return found && principalOf(found);
    },
    async listPrincipals(username, { prefix, after, amount = 100 } = {}) {
      const call = { method: 'GET', path: [...principals(username), 'ls'], expect: 200, missing: 'user not found' } as const;
      const { results, pagination } = await service.read(wirePage(wirePrincipal), { ...call, query: { prefix, after, amount } });
      const { has_more: hasMore, next_offset: nextOffset } = pagination;
      return { results: results.map(principalOf), hasMore, nextOffset } satisfies AuthPage<ExternalPrincipal>;
    },
  } satisfies Partial<AccountService>;
}
