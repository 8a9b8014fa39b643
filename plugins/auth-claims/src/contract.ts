/** Logins with tokens of an identity provider. */
import type { LoginToken } from '@srv/kernel';

/** Provided where `auth.jwt.jwks_url` is configured. */
export interface JwtLogin {
  /** @throws SrvError `unauthenticated` for a token that is not by the provider, not for this server, or not valid now. */
  logIn(token: string): Promise<LoginToken>;
}

declare module '@srv/kernel' {
  interface Services {
    jwtLogin: JwtLogin;
  }
}
