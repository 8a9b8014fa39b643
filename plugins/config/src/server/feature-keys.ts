/**
 * Keys of the specification that belong to features. A file that sets them is valid even where such a feature is not
 * installed: its plugin declares the keys, and without the plugin they are accepted without effect.
 * `test/removed-feature.long.test.ts` checks that none is missing.
 */
const features: Readonly<Record<string, readonly string[]>> = {
  'e-mail': [
    'email.smtp_host',
    'email.smtp_port',
    'email.use_ssl',
    'email.username',
    'email.password',
    'email.local_name',
    'email.sender',
    'email.limit_every_duration',
    'email.burst',
    'email.srv_base_url',
  ],
  'S3 gateway': ['gateways.s3.domain_name', 'gateways.s3.region', 'gateways.s3.fallback_url', 'gateways.s3.verify_unsupported'],
  'garbage collection': ['ugc.prepare_max_file_size', 'ugc.prepare_interval'],
  statistics: ['stats.enabled', 'stats.address', 'stats.flush_interval', 'stats.flush_size', 'stats.extended'],
  'usage reports': ['usage_report.enabled', 'usage_report.flush_interval'],
  'web page': ['ui.enabled'],
  notices: [
    'security.audit_check_interval',
    'security.audit_check_url',
    'security.check_latest_version',
    'security.check_latest_version_cache',
    'security.latest_version_url',
  ],
  'external authorization': ['auth.api.endpoint', 'auth.api.token', 'auth.api.health_check_timeout', 'auth.api.skip_health_check'],
  'external authentication': ['auth.authentication_api.endpoint', 'auth.authentication_api.external_principals_enabled'],
  'remote authentication': [
    'auth.remote_authenticator.enabled',
    'auth.remote_authenticator.endpoint',
    'auth.remote_authenticator.default_user_group',
    'auth.remote_authenticator.request_timeout',
  ],
  actions: ['actions.enabled', 'actions.env.enabled', 'actions.env.prefix', 'actions.lua.net_http_enabled'],
  'single sign-on': [
    'auth.cookie_auth_verification.validate_id_token_claims',
    'auth.cookie_auth_verification.default_initial_groups',
    'auth.cookie_auth_verification.initial_groups_claim_name',
    'auth.cookie_auth_verification.friendly_name_claim_name',
    'auth.cookie_auth_verification.persist_friendly_name',
    'auth.cookie_auth_verification.external_user_id_claim_name',
    'auth.cookie_auth_verification.auth_source',
    'auth.oidc.validate_id_token_claims',
    'auth.oidc.default_initial_groups',
    'auth.oidc.initial_groups_claim_name',
    'auth.oidc.friendly_name_claim_name',
    'auth.oidc.persist_friendly_name',
  ],
};

const featureOf = new Map(Object.entries(features).flatMap(([feature, keys]) => keys.map(key => [key, feature] as const)));

/** Every key of a feature. */
export const featureKeys: readonly string[] = [...featureOf.keys()];

/** The feature that a key belongs to; `a.b.c` is part of a map `a.b`. @param key in lower case. */
export function featureOfKey(key: string): string | undefined {
  const parent = key.slice(0, Math.max(0, key.lastIndexOf('.')));
  return featureOf.get(key) ?? featureOf.get(parent);
}

/** Whether keys of features stand below a name: such a section may be empty. */
export function isFeatureSection(name: string): boolean {
  return featureKeys.some(key => key.startsWith(`${name}.`));
}
