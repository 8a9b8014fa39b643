/** What other plugins ask of claims. */

export interface ClaimsService {
  /**
   * Whether claims that an authentication service vouches for say what `auth.cookie_auth_verification` demands.
   * @returns the name of the user elsewhere, `sub`; `undefined`: refused.
   */
  subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined;
}

declare module '@srv/kernel' {
  interface Services {
    claims: ClaimsService;
  }
}
