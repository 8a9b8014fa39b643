/** The part of `@node-saml/node-saml` that is used. It is not installed with the workspace. */

interface SamlOptions {
  readonly callbackUrl: string;
  readonly issuer: string;
  readonly audience: string;
  readonly idpCert: readonly string[];
  readonly entryPoint: string;
  readonly acceptedClockSkewMs: number;
  readonly wantAssertionsSigned: true;
  readonly wantAuthnResponseSigned: false;
  readonly validateInResponseTo: 'never';
  readonly identifierFormat: null;
  readonly disableRequestedAuthnContext: true;
  generateUniqueId?(): string;
}

interface Saml {
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>;
  generateServiceProviderMetadata(decryptionCert: null, signingCerts: null): string;
  validatePostResponseAsync(body: {
    readonly SAMLResponse: string;
  }): Promise<{ readonly profile: { getAssertion?(): unknown } | null; readonly loggedOut?: boolean }>;
}

export interface NodeSaml {
  readonly SAML: new (options: SamlOptions) => Saml;
}

/** Assertions are signed, whether or not the response around them is; which request one answers is checked by the login. */
export const fixedOptions = {
  wantAssertionsSigned: true,
  wantAuthnResponseSigned: false,
  validateInResponseTo: 'never',
  identifierFormat: null,
  disableRequestedAuthnContext: true,
} as const;
