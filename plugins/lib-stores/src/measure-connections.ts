/** For drivers that reach their store over HTTP. */
import { connectionsInUse } from '@srv/kernel/metrics';
import type { Agent } from 'node:http';
import type { Metrics } from '@srv/kernel/metrics';

/**
 * Shows how many connections of `agents` carry a request, whenever the page is read.
 * @param service type of the store.
 */
export function measureConnections(service: string, agents: readonly Agent[], metrics: Metrics): void {
  const inUse = metrics.gauge(connectionsInUse).labels(service);
  metrics.beforeScrape(() => inUse.set(agents.reduce((sum, { sockets }) => sum + Object.values(sockets).flat().length, 0)));
}
