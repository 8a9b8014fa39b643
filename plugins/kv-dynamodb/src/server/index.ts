/** Opens the key-value store in DynamoDB when `database.type` is `dynamodb`. */

import { definePlugin } from '@srv/kernel';
import { kvDynamodbConfig } from '../config.js';
import type {} from '@srv/kernel/metrics';

export default definePlugin({
  name: 'kv-dynamodb',
  apply(kernel) {
    kernel.hooks.openKvStore.for('dynamodb').tapPromise('kv-dynamodb', async config => {
      const values = config.values(kvDynamodbConfig.keys);
      const { openDynamodbKvStore } = await import('./open.js');
      return openDynamodbKvStore({
        tableName: values['database.dynamodb.table_name'],
        scanLimit: values['database.dynamodb.scan_limit'],
        endpoint: values['database.dynamodb.endpoint'],
        region: values['database.dynamodb.aws_region'],
        profile: values['database.dynamodb.aws_profile'],
        accessKeyId: values['database.dynamodb.aws_access_key_id'],
        secretAccessKey: values['database.dynamodb.aws_secret_access_key'],
        healthCheckInterval: values['database.dynamodb.health_check_interval'],
        maxAttempts: values['database.dynamodb.max_attempts'],
        maxConnections: values['database.dynamodb.max_connections'],
        log: kernel.log,
        metrics: kernel.services.find('metrics'),
      });
    });
  },
});
