/** The service that this plugin's operations call. */

/** Finds the principals of a login. */
export interface PrincipalVerifier {
  /**
   * @param request as the caller sent it.
   * @returns principals the caller may log in as, the most precise first.
   * @throws SrvError `invalid`, `unauthenticated`; `forbidden` when the proof has expired and the caller should make another.
   */
  verify(request: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
}

/** Exchanges the authorization code that a browser received for claims. */
export interface StsExchange {
  /** @throws SrvError `invalid`, `unauthenticated`. */
  exchange(request: {
    readonly code: string;
    readonly state: string;
    readonly redirect_uri: string;
  }): Promise<Readonly<Record<string, unknown>>>;
}

declare module '@srv/kernel' {
  interface Services {
    principals: PrincipalVerifier;
    sts: StsExchange;
  }
}
