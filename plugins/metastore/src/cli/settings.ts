/** Keys of the command-line tool's configuration that these commands read. */
import { defineConfig, key } from '@srv/kernel';
import type { Values } from '@srv/kernel';
import type { CommandContext } from '@srv/lib-commands';

const metastoreConfig = defineConfig({
  plugin: 'metastore',
  keys: {
    'metastore.type': key.text({ default: '', meaning: 'Type of metastore unless an option sets it: hive or glue' }),
    'metastore.fix_spark_placeholder': key.bool({
      default: false,
      meaning: 'Give copied Spark tables their real location instead of its placeholder',
    }),
    'metastore.hive.uri': key.text({ default: '', meaning: 'host:port of the Hive metastore' }),
    'metastore.hive.db_location_uri': key.text({ default: '', meaning: 'Accepted without effect' }),
    'metastore.glue.db_location_uri': key.text({ default: '', meaning: 'Accepted without effect' }),
    'metastore.glue.catalog_id': key.text({ default: '', meaning: 'Catalog; empty: that of the account' }),
    'metastore.glue.region': key.text({ default: '', meaning: 'Region; empty: what the AWS configuration says' }),
    'metastore.glue.profile': key.text({ default: '', meaning: 'Profile of the AWS configuration' }),
    'metastore.glue.credentials_file': key.text({ default: '', meaning: 'AWS credentials file' }),
    'metastore.glue.endpoint_url': key.text({ default: '', meaning: 'Endpoint; empty: that of the region' }),
    'metastore.glue.credentials.access_key_id': key.text({ default: '', meaning: 'Access key' }),
    'metastore.glue.credentials.access_secret_key': key.text({ default: '', secret: true, meaning: 'Its secret' }),
    'metastore.glue.credentials.session_token': key.text({ default: '', secret: true, meaning: 'Session token' }),
  },
});

export type MetastoreSettings = Values<typeof metastoreConfig.keys>;

export function readMetastoreSettings({ configuration }: CommandContext): Promise<MetastoreSettings> {
  return configuration.read(metastoreConfig);
}
