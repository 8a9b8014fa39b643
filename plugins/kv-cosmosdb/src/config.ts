/** Keys of the key-value store in Azure Cosmos DB. */
import { defineConfig, key } from '@srv/kernel';

export const kvCosmosdbConfig = defineConfig({
  plugin: 'kv-cosmosdb',
  keys: {
    'database.cosmosdb.key': key.text({
      default: '',
      secret: true,
      meaning: 'If set, authenticates to the account; otherwise the cloud SDK default authentication with environment variables is used',
    }),
    'database.cosmosdb.endpoint': key.text({ default: '', meaning: 'Account endpoint URL' }),
    'database.cosmosdb.database': key.text({ default: '', meaning: 'Database name; created when missing' }),
    'database.cosmosdb.container': key.text({ default: '', meaning: 'Container name; created when missing' }),
    'database.cosmosdb.throughput': key.int({
      type: 'int32',
      min: 0,
      max: 2 ** 31 - 1,
      meaning: 'Container RU/s when it is created; when unset the container default is used',
    }),
    'database.cosmosdb.autoscale': key.bool({ default: false, meaning: 'Autoscale throughput; otherwise manual mode' }),
  },
  check: values =>
    values['database.cosmosdb.autoscale'] && !values['database.cosmosdb.throughput']
      ? ['database.cosmosdb.throughput: missing or 0, while database.cosmosdb.autoscale is true; set the most RU/s to scale to']
      : [],
});

export default kvCosmosdbConfig;
