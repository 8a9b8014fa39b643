/** Opens the key-value store in PostgreSQL when `database.type` is `postgres`. */

import { definePlugin } from '@srv/kernel';
import { kvPostgresConfig } from '../config.js';
import type {} from '@srv/kernel/metrics';

export default definePlugin({
  name: 'kv-postgres',
  apply(kernel) {
    kernel.hooks.openKvStore.for('postgres').tapPromise('kv-postgres', async config => {
      const values = config.values(kvPostgresConfig.keys);
      const { openPostgresKvStore } = await import('./open.js');
      return openPostgresKvStore({
        connectionString: values['database.postgres.connection_string'],
        maxOpenConnections: values['database.postgres.max_open_connections'],
        maxIdleConnections: values['database.postgres.max_idle_connections'],
        connectionMaxLifetime: values['database.postgres.connection_max_lifetime'],
        log: kernel.log,
        metrics: kernel.services.find('metrics'),
      });
    });
  },
});
