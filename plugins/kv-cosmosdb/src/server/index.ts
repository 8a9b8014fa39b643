/** Opens the key-value store in Azure Cosmos DB when `database.type` is `cosmosdb`. */
import { definePlugin } from '@srv/kernel';
import { kvCosmosdbConfig } from '../config.js';

export default definePlugin({
  name: 'kv-cosmosdb',
  apply(kernel) {
    kernel.hooks.openKvStore.for('cosmosdb').tapPromise('kv-cosmosdb', async config => {
      const values = config.values(kvCosmosdbConfig.keys);
      const { openCosmosdbKvStore } = await import('./open.js');
      return openCosmosdbKvStore({
        key: values['database.cosmosdb.key'],
        endpoint: values['database.cosmosdb.endpoint'],
        database: values['database.cosmosdb.database'],
        container: values['database.cosmosdb.container'],
        throughput: values['database.cosmosdb.throughput'],
        autoscale: values['database.cosmosdb.autoscale'],
      });
    });
  },
});
