/** Metrics of the pool of connections, under the names dashboards of such pools know. */
import { connectionsInUse } from '@srv/kernel/metrics';
import type { Metrics } from '@srv/kernel/metrics';
import type { Pool } from 'pg';

/** @param table label that distinguishes one database from another. */
export function measurePool(pool: Pool, table: string, metrics: Metrics): void {
  const labels = ['db_name'];
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels }).labels(table);
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels }).labels(table);
  const acquired = gauge('pgxpool_acquired_conns', 'Database connections in use');
  const idle = gauge('pgxpool_idle_conns', 'Database connections that wait for use');
  const total = gauge('pgxpool_total_conns', 'Database connections');
  const inUse = metrics.gauge(connectionsInUse).labels('postgres');
  gauge('pgxpool_max_conns', 'Most database connections at a time').set(pool.options.max);
  const acquisitions = counter('pgxpool_acquire_count', 'Times a database connection was taken from the pool');
  const connections = counter('pgxpool_new_conns_count', 'Database connections made');
  pool.on('acquire', () => acquisitions.add());
  pool.on('connect', () => connections.add());
  metrics.beforeScrape(() => {
    const { totalCount, idleCount } = pool;
    acquired.set(totalCount - idleCount);
    inUse.set(totalCount - idleCount);
    idle.set(idleCount);
    total.set(totalCount);
  });
}
