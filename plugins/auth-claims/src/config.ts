/** Keys of claims: what an identity token must say, and what is taken from it. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';
import { isSafeAddress } from '@srv/lib-auth/provider-address';

const yesNo = { type: 'string (true/false)', default: false } as const;
const initialGroups = 'Groups assigned to new users';
const groupsClaim =
  'Claim supplying initial groups for new users; takes priority over default_initial_groups. Of several, the first that is there';
const nameClaim = "Claim used as the user's display name. Of several, the first that is there";
const persists = 'Persist the friendly name in the key-value store for display in the user list; use with friendly_name_claim_name';
const validated = 'When a user accesses the server, the ID token must contain these claims with these values';
const isSet = (name: string) => (lookup: { get(name: string): unknown }) => Boolean(lookup.get(name));

export default defineConfig({
  plugin: 'auth-claims',
  keys: {
    'auth.cookie_auth_verification.validate_id_token_claims': key.map({ meaning: validated }),
    'auth.cookie_auth_verification.default_initial_groups': key.list({ default: [], meaning: initialGroups }),
    'auth.cookie_auth_verification.initial_groups_claim_name': key.list({ default: [], meaning: groupsClaim }),
    'auth.cookie_auth_verification.friendly_name_claim_name': key.list({ meaning: nameClaim }),
    'auth.cookie_auth_verification.persist_friendly_name': key.bool({ ...yesNo, meaning: persists }),
    'auth.cookie_auth_verification.external_user_id_claim_name': key.text({
      meaning: "Claim used as the user's ID; unset: session cookies of helpers are not looked at",
    }),
    'auth.cookie_auth_verification.auth_source': key.text({ meaning: "Label for the user's auth source" }),
    'auth.oidc.validate_id_token_claims': key.map({ meaning: validated }),
    'auth.oidc.default_initial_groups': key.list({ default: [], meaning: initialGroups }),
    'auth.oidc.initial_groups_claim_name': key.list({ default: [], meaning: groupsClaim }),
    'auth.oidc.friendly_name_claim_name': key.list({ meaning: nameClaim }),
    'auth.oidc.persist_friendly_name': key.bool({ ...yesNo, meaning: persists }),

    'auth.oidc.issuer': key.text({ meaning: 'Address of the OpenID provider; with it, people log in there' }),
    'auth.oidc.client_id': key.text({
      required: isSet('auth.oidc.issuer'),
      defaultText: '-',
      meaning: 'Client ID of this server at the provider',
    }),
    'auth.oidc.client_secret': key.text({ secret: true, meaning: 'Secret of this server at the provider; unset: a public client' }),
    'auth.oidc.callback_base_url': key.text({
      required: isSet('auth.oidc.issuer'),
      defaultText: '-',
      meaning: 'Address of this server for browsers; `<it>/oidc/callback` and `<it>/` after logout must be known to the provider',
    }),
    'auth.oidc.scopes': key.list({ default: ['openid', 'profile', 'email'], meaning: 'Scopes to request from the provider' }),
    'auth.oidc.sync_groups': key.bool({
      default: false,
      meaning: 'At every login, make the user a member of exactly the groups in the claim initial_groups_claim_name',
    }),
    'auth.jwt.jwks_url': key.text({
      meaning: 'Address of the public keys of an identity provider; with it, programs log in with its tokens (`POST /auth/jwt/login`)',
    }),
    'auth.jwt.issuer': key.text({ required: isSet('auth.jwt.jwks_url'), defaultText: '-', meaning: 'What these tokens name as `iss`' }),
    'auth.jwt.audience': key.text({
      required: isSet('auth.jwt.jwks_url'),
      defaultText: '-',
      meaning: 'What tokens for this server name as `aud`; tokens for other services are refused',
    }),
    'auth.oidc.request_timeout': key.timer({ default: '10s', meaning: 'Longest wait for a response of the provider' }),
  },
  check(values) {
    const { 'auth.oidc.issuer': issuer, 'auth.oidc.callback_base_url': base, 'auth.jwt.jwks_url': keys } = values;
    const ofKeys =
      keys && !isSafeAddress(keys)
        ? [
            `auth.jwt.jwks_url: ${JSON.stringify(withoutPassword(keys))} is not an https:// address (http:// only on this machine) without user and password`,
          ]
        : [];
    if (!issuer) return ofKeys;
    return [
      ...ofKeys,
      ...(isSafeAddress(issuer)
        ? []
        : [
            `auth.oidc.issuer: ${JSON.stringify(withoutPassword(issuer))} is not an https:// address (http:// only on this machine) without user and password`,
          ]),
      ...(base && isHttpAddress(base)
        ? []
        : [
            `auth.oidc.callback_base_url: ${JSON.stringify(withoutPassword(base ?? ''))} is not an http:// or https:// address without user and password`,
          ]),
      ...(values['auth.oidc.scopes'].includes('openid') ? [] : ['auth.oidc.scopes: must include openid']),
      ...(values['auth.oidc.sync_groups'] && values['auth.oidc.initial_groups_claim_name'].length === 0
        ? ['auth.oidc.sync_groups: needs auth.oidc.initial_groups_claim_name']
        : []),
    ];
  },
});
