/** Keys of the command-line tool's configuration. */

import { transferKeys } from '@srv/engine/transfer';
import { defineConfig, key } from '@srv/kernel';

const iam = 'Enterprise only: ';

export const cliConfig = defineConfig({
  plugin: 'cli',
  keys: {
    'credentials.access_key_id': key.text({ defaultText: '(req)', meaning: 'Access key ID' }),
    'credentials.secret_access_key': key.text({ secret: true, defaultText: '(req)', meaning: 'Secret access key' }),
    'credentials.provider.type': key.text({
      default: '',
      meaning: `${iam}aws_iam obtains temporary credentials from the cloud identity service; empty is static credentials`,
    }),
    'credentials.provider.aws_iam.token_ttl_seconds': key.duration({
      default: '6h',
      bareUnit: 's',
      meaning: `${iam}lifetime of the generated token`,
    }),
    'credentials.provider.aws_iam.url_presign_ttl_seconds': key.duration({
      default: '1m',
      bareUnit: 's',
      meaning: `${iam}lifetime of pre-signed URLs`,
    }),
    'credentials.provider.aws_iam.refresh_interval': key.duration({ default: '5m', meaning: `${iam}refresh interval of the credentials` }),
    'credentials.provider.aws_iam.token_request_headers': key.map({ default: {}, meaning: `${iam}further headers of the token request` }),
    'network.http2.enabled': key.bool({ default: true, meaning: 'Use HTTP/2 if the server offers it' }),
    'server.endpoint_url': key.text({ default: 'http://127.0.0.1:8000', meaning: 'Base URL of the server' }),
    'server.retries.enabled': key.bool({ default: true, meaning: 'Repeat failed requests' }),
    'server.retries.max_attempts': key.int({ type: 'uint', min: 1, default: 4, meaning: 'Attempts per request, including the first one' }),
    'server.retries.min_wait_interval': key.timer({ default: '200ms', meaning: 'Shortest wait between attempts' }),
    'server.retries.max_wait_interval': key.timer({ default: '30s', meaning: 'Longest wait between attempts' }),
    'options.parallelism': key.int({ min: 1, default: 25, meaning: 'Transfers at a time' }),
    ...transferKeys,
  },
});

/** Sections of older files that other programs read, or that are no longer read. */
export const foreignSections = [
  'metastore.',
  'local.',
  'experimental.local.',
  'server.login_retries.',
  'credentials.provider.aws_iam.client_log',
] as const;
