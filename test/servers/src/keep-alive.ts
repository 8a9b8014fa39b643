import type { ServerOptions } from 'node:http';

/** Idle connections stay open. A server that closed them would cut off the request that a slow test sends just then. */
export const keptAlive = { keepAliveTimeout: 0 } satisfies ServerOptions;
