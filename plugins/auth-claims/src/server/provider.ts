/** The OpenID provider: authorization code with PKCE, state and nonce. */
import { SrvError, messageOf } from '@srv/kernel';
import * as oidc from 'openid-client';
import type { Claims } from '@srv/lib-auth/claims';

interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
}

/** What must come back unchanged. Kept by the browser, signed. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

interface LoggedIn {
  readonly claims: Claims;
  /** For the provider, when the user logs out. */
  readonly idToken: string;
}

/** What the provider says once a user or its own rules refused. */
const refusals = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
  'invalid_grant',
];

export class Provider {
  readonly #options: ProviderOptions;
  #found: Promise<oidc.Configuration> | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** @returns where the browser goes, and what to keep. @throws SrvError `unavailable`. */
  async begin(): Promise<{ readonly url: string; readonly attempt: Attempt }> {
    const { redirectUri, scopes } = this.#options;
    const config = await this.#configuration();
    const attempt = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /**
   * @param query of the request that the provider sent the browser back with.
   * @throws SrvError `unauthenticated` for a rejected login and for unsolicited responses, `unavailable` for faults of
   * the provider.
   */
  async finish(query: string, { state, nonce, verifier }: Attempt): Promise<LoggedIn> {
    const config = await this.#configuration();
    const at = new URL(this.#options.redirectUri);
    at.search = query;
    try {
      const tokens = await oidc.authorizationCodeGrant(config, at, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return { claims: { ...tokens.claims() }, idToken: tokens.id_token ?? '' };
    } catch (error) {
      if (isOutOfOrder(error)) throw unavailable(error);
      throw new SrvError('unauthenticated', 'error authenticating request', { cause: error });
    }
  }

  /** Where the browser goes to log out there, too; `undefined` when the provider has no such place, or is not there. */
  async logoutUrl(idToken: string | undefined, back: string): Promise<string | undefined> {
    try {
      const config = await this.#configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      const hint = idToken ? { id_token_hint: idToken } : {};
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: back, ...hint }).href;
    } catch {
      return undefined;
    }
  }

  /** Found once; after a failure it is tried again. */
  #configuration(): Promise<oidc.Configuration> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = undefined;
      throw unavailable(error);
    });
    return this.#found;
  }

  #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret, timeout } = this.#options;
    const url = new URL(issuer);
    const authentication = clientSecret ? oidc.ClientSecretBasic(clientSecret) : oidc.None();
    // The signature of the identity token is checked, although it comes straight from the provider.
    const execute = [oidc.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])];
    return oidc.discovery(url, clientId, clientSecret, authentication, { execute, timeout: Math.max(1, Math.ceil(timeout / 1000)) });
  }
}

/** The provider cannot be reached, or does not say who it is; a refusal, a forgery or a repetition is the caller's matter. */
function isOutOfOrder(error: unknown): boolean {
  if (error instanceof oidc.AuthorizationResponseError) return !refusals.includes(error.error);
  if (error instanceof oidc.ResponseBodyError) return !refusals.includes(error.error);
  const { code } = error as { readonly code?: unknown };
  if (error instanceof TypeError || (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name))) return true;
  return (
    code === 'OAUTH_TIMEOUT' ||
    code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ||
    code === 'OAUTH_PARSE_ERROR' ||
    code === 'OAUTH_RESPONSE_IS_NOT_JSON'
  );
}

function unavailable(error: unknown): SrvError {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new SrvError('unavailable', `auth.oidc.issuer: ${messageOf(error)}${cause}`, { cause: error });
}
