/** What the thread is asked, and what it answers. */

/** What an assertion must be signed with, and name. */
export interface TrustSettings {
  /** Certificates, each as PEM. */
  readonly certificates: readonly string[];
  readonly idpIssuer: string;
  /** Of this server. */
  readonly entityId: string;
  /** Where the provider sends assertions. */
  readonly acsUrl: string;
  readonly entryPoint: string;
  /** Milliseconds. */
  readonly clockSkew: number;
}

export interface ThreadRequest {
  /** URL of `@node-saml/node-saml`. */
  readonly module: string;
  readonly trust: TrustSettings;
  /** The document, as text that was looked through. */
  readonly document: string;
}

/** What a signed assertion says. */
export interface Assertion {
  readonly id: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  /** The request that it answers. */
  readonly inResponseTo: string;
  /** Milliseconds since 1970: after this it is not accepted. */
  readonly expiresAt: number;
  /** Milliseconds since 1970; absent: the provider does not limit the session. */
  readonly sessionEndsAt?: number;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export type ThreadAnswer = { readonly assertion: Assertion } | { readonly refused: string };
