/** Keys of the block store in Google Cloud Storage. */
import { defineConfig, key } from '@srv/kernel';

/** The service's limit, in milliseconds. */
const longestExpiry = 7 * 24 * 3_600_000;

export const blockGsConfig = defineConfig({
  plugin: 'block-gs',
  keys: {
    'blockstore.gs.credentials_file': key.path({ meaning: 'Path of the service-account key JSON file' }),
    'blockstore.gs.credentials_json': key.text({
      secret: true,
      meaning: 'Service-account key as JSON string (used when credentials_file is not set)',
    }),
    'blockstore.gs.pre_signed_expiry': key.duration({ default: '15m', meaning: 'Pre-signed URL expiry' }),
    'blockstore.gs.disable_pre_signed': key.bool({ default: false, meaning: 'Disable pre-signed URLs' }),
    'blockstore.gs.disable_pre_signed_ui': key.bool({ default: true, meaning: 'Disable pre-signed URLs in the UI' }),
    'blockstore.gs.vended_credentials': key.bool({
      default: false,
      meaning: 'Clients get access tokens that are limited to the files of one table; only of buckets with uniform access',
    }),
    'blockstore.gs.server_side_encryption_customer_supplied': key.text({
      secret: true,
      meaning: 'AES key in hex; exclusive with the KMS key ID',
    }),
    'blockstore.gs.server_side_encryption_kms_key_id': key.text({
      meaning: 'KMS key ID; exclusive with the customer-supplied key',
    }),
    'blockstore.gs.test_endpoint_url': key.text({ meaning: 'URL of an emulator, such as http://127.0.0.1:4443; for tests' }),
  },
  check(values) {
    const problems: string[] = [];
    if (values['blockstore.gs.server_side_encryption_customer_supplied'] && values['blockstore.gs.server_side_encryption_kms_key_id'])
      problems.push(
        'blockstore.gs.server_side_encryption_customer_supplied: is set together with blockstore.gs.server_side_encryption_kms_key_id; choose one',
      );
    if (values['blockstore.gs.pre_signed_expiry'] > longestExpiry)
      problems.push('blockstore.gs.pre_signed_expiry: the service signs for at most seven days; write 168h or less');
    return problems;
  },
});

export default blockGsConfig;
