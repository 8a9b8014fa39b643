/** Keys of the block store in S3. */
import { defineConfig, key, withoutPassword } from '@srv/kernel';

/** The longest a signature of version 4 is valid. */
const maxExpiryMs = 7 * 24 * 3_600_000;

export const blockS3Config = defineConfig({
  plugin: 'block-s3',
  keys: {
    'blockstore.s3.region': key.text({ default: 'us-east-1', meaning: 'Default region' }),
    'blockstore.s3.profile': key.text({ meaning: 'Named credentials profile' }),
    'blockstore.s3.credentials_file': key.path({ meaning: 'Credentials file' }),
    'blockstore.s3.credentials.access_key_id': key.text({ secret: true, meaning: 'Static credential' }),
    'blockstore.s3.credentials.secret_access_key': key.text({ secret: true, meaning: 'Static credential' }),
    'blockstore.s3.credentials.session_token': key.text({ secret: true, meaning: 'Static session token' }),
    'blockstore.s3.endpoint': key.text({ meaning: 'Custom endpoint `https://<host>:<port>`' }),
    'blockstore.s3.force_path_style': key.bool({ default: false, meaning: 'Use path-style URLs' }),
    'blockstore.s3.discover_bucket_region': key.bool({
      default: true,
      meaning: 'Turn off if the bucket store lacks the bucket-region call',
    }),
    'blockstore.s3.skip_verify_certificate_test_only': key.bool({
      default: false,
      meaning: 'Skip certificate verification (testing only)',
    }),
    'blockstore.s3.server_side_encryption': key.text({ meaning: 'Server-side encryption format (for example `aws:kms`)' }),
    'blockstore.s3.server_side_encryption_kms_key_id': key.text({ meaning: 'Encryption KMS key ID' }),
    'blockstore.s3.pre_signed_expiry': key.duration({ default: '15m', meaning: 'Pre-signed URL expiry' }),
    'blockstore.s3.pre_signed_endpoint': key.text({ meaning: 'Custom endpoint for pre-signed URLs' }),
    'blockstore.s3.disable_pre_signed': key.bool({ default: false, meaning: 'Disable pre-signed URLs' }),
    'blockstore.s3.disable_pre_signed_ui': key.bool({ default: true, meaning: 'Disable pre-signed URLs in the UI' }),
    'blockstore.s3.disable_pre_signed_multipart': key.bool({
      meaning: 'Disable pre-signed multipart upload (experimental; enabled on the s3 adapter with pre-sign support)',
    }),
    'blockstore.s3.vended_credentials.role_arn': key.text({
      meaning: 'Role that clients get temporary credentials of, limited to the files of one table; without it they get none of the store',
    }),
    'blockstore.s3.vended_credentials.external_id': key.text({ meaning: 'External id that the role demands' }),
    'blockstore.s3.vended_credentials.sts_endpoint': key.text({
      meaning: 'Address of the security token service, where it is not that of AWS',
    }),
    'blockstore.s3.client_log_request': key.bool({ default: false, meaning: 'SDK request logging' }),
    'blockstore.s3.client_log_retries': key.bool({ default: false, meaning: 'SDK retry logging' }),
    'blockstore.s3.max_retries': key.int({
      default: 5,
      min: 1,
      meaning: 'Attempts of a request, the first one included; a body that cannot be read twice has one',
    }),
  },
  check: values => {
    const problems: string[] = [];
    const given = (name: keyof typeof values): boolean => (values[name] ?? '') !== '';
    const together = (one: keyof typeof values, other: keyof typeof values): void => {
      if (given(one) && !given(other)) problems.push(`${one} is set without ${other}; set both or neither`);
    };
    together('blockstore.s3.credentials.access_key_id', 'blockstore.s3.credentials.secret_access_key');
    together('blockstore.s3.credentials.secret_access_key', 'blockstore.s3.credentials.access_key_id');
    together('blockstore.s3.credentials.session_token', 'blockstore.s3.credentials.access_key_id');
    together('blockstore.s3.vended_credentials.external_id', 'blockstore.s3.vended_credentials.role_arn');
    together('blockstore.s3.vended_credentials.sts_endpoint', 'blockstore.s3.vended_credentials.role_arn');
    together('blockstore.s3.server_side_encryption_kms_key_id', 'blockstore.s3.server_side_encryption');
    for (const name of [
      'blockstore.s3.endpoint',
      'blockstore.s3.pre_signed_endpoint',
      'blockstore.s3.vended_credentials.sts_endpoint',
    ] as const) {
      const value = values[name] ?? '';
      if (value !== '' && !isEndpoint(value))
        problems.push(`${name}: ${withoutPassword(value)} is not an endpoint; write https://<host>:<port>`);
    }
    const role = values['blockstore.s3.vended_credentials.role_arn'] ?? '';
    if (role !== '' && !/^arn:[a-z0-9-]{1,32}:iam::\d{1,32}:role\/\S{1,512}$/.test(role))
      problems.push(`blockstore.s3.vended_credentials.role_arn: ${role} is not a role; write arn:aws:iam::<account>:role/<name>`);
    const expiry = values['blockstore.s3.pre_signed_expiry'];
    if (expiry < 1000 || expiry > maxExpiryMs)
      problems.push(`blockstore.s3.pre_signed_expiry: ${expiry / 1000}s is not allowed; allowed: 1s to 168h`);
    if (!given('blockstore.s3.region')) problems.push('blockstore.s3.region: must not be empty; write a region such as us-east-1');
    return problems;
  },
});

/** A user name, password, query or fragment would be lost: they are refused. */
function isEndpoint(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every(part => part === '');
}

export default blockS3Config;
