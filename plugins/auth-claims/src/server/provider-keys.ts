/** Which identity providers are configured: a user is found by the ID alone, whichever of them names it. */

interface ProviderSettings {
  readonly 'auth.oidc.issuer'?: string | undefined;
  readonly 'auth.jwt.jwks_url'?: string | undefined;
  readonly 'auth.jwt.issuer'?: string | undefined;
  readonly 'auth.cookie_auth_verification.external_user_id_claim_name'?: string | undefined;
}

/** A provider of another plugin. */
const samlKey = 'auth.saml.entry_point';
const helperKey = 'auth.cookie_auth_verification.external_user_id_claim_name';

/** @param shown all settings. @returns a key of each provider. */
export function providerKeys(settings: ProviderSettings, shown: readonly { readonly key: string; readonly value: unknown }[]): string[] {
  const { 'auth.oidc.issuer': oidc, 'auth.jwt.issuer': jwt } = settings;
  const found: [key: string, isConfigured: boolean][] = [
    ['auth.oidc.issuer', Boolean(oidc)],
    ['auth.jwt.issuer', Boolean(settings['auth.jwt.jwks_url']) && jwt !== oidc],
    [helperKey, Boolean(settings[helperKey])],
    [samlKey, shown.some(({ key, value }) => key === samlKey && Boolean(value))],
  ];
  return found.filter(([, isConfigured]) => isConfigured).map(([key]) => key);
}
