/** Keys of the key-value store in PostgreSQL. */
import { defineConfig, key } from '@srv/kernel';

export const kvPostgresConfig = defineConfig({
  plugin: 'kv-postgres',
  keys: {
    'database.postgres.connection_string': key.text({
      default: 'postgres://localhost:5432/postgres?sslmode=disable',
      secret: true,
      meaning: 'Connection string',
    }),
    'database.postgres.max_open_connections': key.int({ default: 25, min: 1, max: 10_000, meaning: 'Max open connections' }),
    'database.postgres.max_idle_connections': key.int({
      default: 25,
      min: 0,
      max: 10_000,
      meaning: 'Max idle pool connections: kept open while idle',
    }),
    'database.postgres.connection_max_lifetime': key.duration({
      default: '5m',
      meaning: 'Max time a connection may be reused; 0 is no limit',
    }),
  },
});

export default kvPostgresConfig;
