/** Keys of the key-value store in DynamoDB. */
import { defineConfig, key } from '@srv/kernel';

export const kvDynamodbConfig = defineConfig({
  plugin: 'kv-dynamodb',
  keys: {
    'database.dynamodb.table_name': key.text({ default: 'kvstore', meaning: 'Table used for data; created when missing' }),
    'database.dynamodb.scan_limit': key.int({ default: 1025, min: 1, meaning: 'Max items per page in a scan' }),
    'database.dynamodb.endpoint': key.text({ meaning: 'Endpoint URL of the instance' }),
    'database.dynamodb.aws_region': key.text({ meaning: 'Region of the instance' }),
    'database.dynamodb.aws_profile': key.text({ meaning: 'Named profile' }),
    'database.dynamodb.aws_access_key_id': key.text({ meaning: 'Access key ID' }),
    'database.dynamodb.aws_secret_access_key': key.text({ secret: true, meaning: 'Secret access key' }),
    'database.dynamodb.health_check_interval': key.duration({
      default: 0,
      defaultText: '0s',
      meaning: 'Health check interval; 0 disables',
    }),
    'database.dynamodb.max_attempts': key.int({ default: 10, min: 1, meaning: 'Max attempts per request' }),
    'database.dynamodb.max_connections': key.int({ default: 0, min: 0, meaning: 'Max connections; 0 is no limit' }),
  },
  check: values => {
    const id = values['database.dynamodb.aws_access_key_id'] ?? '';
    const secret = values['database.dynamodb.aws_secret_access_key'] ?? '';
    if ((id === '') === (secret === '')) return [];
    const [given, missing] = id === '' ? ['aws_secret_access_key', 'aws_access_key_id'] : ['aws_access_key_id', 'aws_secret_access_key'];
    return [`database.dynamodb.${missing}: missing, while database.dynamodb.${given} is set; set both or none`];
  },
});

export default kvDynamodbConfig;
