/** Keys of the S3 gateway. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';

/** Sub-domains of `localhost` are this machine for browsers and most resolvers, without any DNS record. */
const defaultDomain = 's3.localhost';

export default defineConfig({
  plugin: 'gateway-s3',
  keys: {
    'gateways.s3.domain_name': key.list({
      type: 'string (FQDN)',
      default: [defaultDomain],
      defaultText: defaultDomain,
      meaning: 'S3 endpoint name clients use, or several; relevant for virtual-host addressing',
    }),
    'gateways.s3.region': key.text({ default: 'us-east-1', meaning: 'Region presented; must match the client SDK region' }),
    'gateways.s3.fallback_url': key.text({
      meaning: 'Requests naming a non-existing repository are forwarded to this URL (for side-by-side use with an S3 proxy)',
    }),
    'gateways.s3.verify_unsupported': key.bool({
      default: true,
      meaning: 'Error on unsupported S3 requests; when false reads defer to target-based handlers',
    }),
    'gateways.s3.cors_allowed_origins': key.list({
      default: [],
      defaultText: '-',
      meaning:
        'Origins of web pages that may use the gateway from a browser, such as https://app.example.com; * stands for any, or for a part',
    }),
    'gateways.s3.list_tags': key.bool({
      default: false,
      meaning: 'The root of a bucket lists tags as well as branches, for users who may list tags',
    }),
    'gateways.s3.upload_expiry': key.duration({
      default: '720h',
      meaning: 'Multipart uploads without a new part for this long are aborted; 0 for never',
    }),
    'gateways.s3.body_timeout': key.timer({
      default: '2m',
      meaning: 'Requests whose body stalls for longer than this fail with 408; 0 for no limit',
    }),
    'gateways.s3.list_uploads_with_ref': key.bool({
      default: true,
      meaning: 'Listings of multipart uploads show keys as <ref>/<path> even without a prefix, so that clients can abort what they list',
    }),
  },
  check: values => [
    ...nestedDomains(values['gateways.s3.domain_name']),
    ...badDomains(values['gateways.s3.domain_name']),
    ...badUrl(values['gateways.s3.fallback_url']),
  ],
});

/** A host below two domains would denote two repositories. */
function nestedDomains(domains: readonly string[]): string[] {
  const names = domains.map(domain => domain.toLowerCase());
  return names.flatMap(name =>
    names
      .filter(other => name.endsWith(`.${other}`))
      .map(other => `gateways.s3.domain_name: ${name} is a sub-domain of ${other}; remove one of them`),
  );
}

function badDomains(domains: readonly string[]): string[] {
  return domains
    .filter(domain => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(domain))
    .map(domain => `gateways.s3.domain_name: ${JSON.stringify(domain)} is not allowed; allowed: host names without scheme and port`);
}

function badUrl(url: string | undefined): string[] {
  if (!url || isHttpAddress(url)) return [];
  return [
    `gateways.s3.fallback_url: ${JSON.stringify(withoutPassword(url))} is not an http:// or https:// address without user and password`,
  ];
}
