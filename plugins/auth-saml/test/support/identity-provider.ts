/** An identity provider that signs what a test wants it to say. */
import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { loadPackage } from '@srv/test-servers/packages';
import { ownKey } from './keys.js';
import type { SigningKey } from './keys.js';

interface SignedXml {
  addReference(reference: { xpath: string; transforms: readonly string[]; digestAlgorithm: string }): void;
  computeSignature(xml: string, options: { location: { reference: string; action: 'after' }; prefix: string }): void;
  getSignedXml(): string;
}

interface XmlCrypto {
  readonly SignedXml: new (options: { privateKey: string; signatureAlgorithm: string; canonicalizationAlgorithm: string }) => SignedXml;
}

const { SignedXml: Signer } = await loadPackage<XmlCrypto>('xml-crypto');
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const sha256 = {
  signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
};
export const sha1 = { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: 'http://www.w3.org/2000/09/xmldsig#sha1' };

export const idpIssuer = 'https://idp.example/metadata';
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

export interface Statements {
  readonly id?: string;
  /** As it is written, markup included. */
  readonly nameId?: string;
  readonly format?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  readonly audience?: string;
  readonly recipient?: string;
  readonly issuer?: string;
  readonly inResponseTo?: string;
  /** Seconds from now. */
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
  readonly sessionEnds?: number;
  /** Leaves parts of the assertion out. */
  readonly without?: 'conditions' | 'confirmation';
}

const time = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
export const newId = (): string => `_${randomBytes(16).toString('hex')}`;

/** An assertion without a signature. */
export function assertionXml(base: string, said: Statements): string {
  const { id = newId(), nameId = 'ann', format = persistent, attributes = {}, issuer = idpIssuer, inResponseTo = '' } = said;
  const { audience = `${base}/saml/metadata`, recipient = `${base}/saml/acs`, notBefore = -5, notOnOrAfter = 300, sessionEnds } = said;
  const confirmation = `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${inResponseTo}" NotOnOrAfter="${time(notOnOrAfter)}" Recipient="${recipient}"/></saml:SubjectConfirmation>`;
  const conditions = `<saml:Conditions NotBefore="${time(notBefore)}" NotOnOrAfter="${time(notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`;
  const list = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map(value => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${time(0)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${nameId}</saml:NameID>${said.without === 'confirmation' ? '' : confirmation}</saml:Subject>${said.without === 'conditions' ? '' : conditions}<saml:AuthnStatement AuthnInstant="${time(0)}"${sessionEnds === undefined ? '' : ` SessionNotOnOrAfter="${time(sessionEnds)}"`}/><saml:AttributeStatement>${list.join('')}</saml:AttributeStatement></saml:Assertion>`;
}

export function responseXml(base: string, content: string, { id = newId(), inResponseTo = '' } = {}): string {
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${id}" Version="2.0" IssueInstant="${time(0)}" Destination="${base}/saml/acs" InResponseTo="${inResponseTo}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${idpIssuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${content}</samlp:Response>`;
}

/** Signs the first element of a name. */
export function sign(xml: string, element: 'Assertion' | 'Response', { key }: SigningKey = ownKey, { signature, digest } = sha256): string {
  const signer = new Signer({ privateKey: key, signatureAlgorithm: signature, canonicalizationAlgorithm: exclusive });
  const xpath = `//*[local-name(.)='${element}']`;
  signer.addReference({ xpath, transforms: [enveloped, exclusive], digestAlgorithm: digest });
  signer.computeSignature(xml, { location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' }, prefix: 'ds' });
  return signer.getSignedXml();
}

/** The request in the address that a browser was sent to. */
export function requestIn(url: string): { readonly id: string; readonly xml: string } {
  const deflated = Buffer.from(new URL(url).searchParams.get('SAMLRequest') ?? '', 'base64');
  const xml = inflateRawSync(deflated).toString('utf8');
  return { id: /\bID="([^"]+)"/.exec(xml)?.[1] ?? '', xml };
}

export const encode = (xml: string): string => Buffer.from(xml, 'utf8').toString('base64');
