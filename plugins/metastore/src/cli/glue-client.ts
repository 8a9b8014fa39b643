/** How Glue is reached: as the configuration says, and otherwise as other programs for AWS do. */
import { fromIni } from '@aws-sdk/credential-providers';
import type { GlueClientConfig } from '@aws-sdk/client-glue';
import type { MetastoreSettings } from './settings.js';

export function glueClient(settings: MetastoreSettings): GlueClientConfig {
  const region = settings['metastore.glue.region'];
  const endpoint = settings['metastore.glue.endpoint_url'];
  const credentials = credentialsOf(settings);
  return {
    ...(region === '' ? {} : { region }),
    ...(endpoint === '' ? {} : { endpoint }),
    ...(credentials ? { credentials } : {}),
  };
}

function credentialsOf(settings: MetastoreSettings): GlueClientConfig['credentials'] {
  const accessKeyId = settings['metastore.glue.credentials.access_key_id'];
  const secretAccessKey = settings['metastore.glue.credentials.access_secret_key'];
  const sessionToken = settings['metastore.glue.credentials.session_token'];
  if (accessKeyId !== '') return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
  const profile = settings['metastore.glue.profile'];
  const filepath = settings['metastore.glue.credentials_file'];
  if (profile === '' && filepath === '') return undefined;
  return fromIni({ ...(profile === '' ? {} : { profile }), ...(filepath === '' ? {} : { filepath }) });
}
