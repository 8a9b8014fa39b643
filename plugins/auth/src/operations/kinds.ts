/** What operations of one kind have in common; the rest is said by each. */
import { empty, paging } from '@srv/lib-api';

export const listing = { method: 'GET', tag: 'auth', query: paging, status: 200 } as const;
export const reading = { method: 'GET', tag: 'auth', status: 200 } as const;
export const creation = { method: 'POST', tag: 'auth', status: 201 } as const;
/** Adds a member or an attachment. */
export const addition = { method: 'PUT', tag: 'auth', status: 201, result: empty } as const;
export const removal = { method: 'DELETE', tag: 'auth', status: 204, result: empty } as const;
