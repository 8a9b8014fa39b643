/**
 * Reads the assertion whose signature was checked, and nothing of the document around it. The library has checked signature,
 * times and audience; what the profile for browsers demands in addition is checked here.
 */
import type { Assertion, TrustSettings } from './request.js';

/** As the library's parser gives elements: attributes in `$`, text in `_`, children by their name without prefix. */
type Element = Readonly<Record<string, unknown>>;

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** @param parsed the signed element. @param now milliseconds since 1970. @throws Error that says what is missing or wrong. */
export function readAssertion(parsed: unknown, { idpIssuer, entityId, acsUrl, clockSkew }: TrustSettings, now: number): Assertion {
  const assertion = asElement(asElement(parsed)['Assertion']);
  const [issuer] = children(assertion, 'Issuer').map(textOf);
  if (issuer !== idpIssuer) throw new Error(`the assertion was issued by ${shown(issuer)}, not by ${shown(idpIssuer)}`);
  const subject = only(assertion, 'Subject');
  const nameId = children(subject, 'NameID')[0] ?? {};
  const isValid = (end: string): boolean => now - clockSkew < timeOf(end);
  // The library accepts an assertion without a time after which it is not valid, and does not ask for whom it was made.
  const confirmation = children(subject, 'SubjectConfirmation')
    .filter(found => attribute(found, 'Method') === bearer)
    .flatMap(found => children(found, 'SubjectConfirmationData'))
    .find(data => attribute(data, 'Recipient') === acsUrl && isValid(attribute(data, 'NotOnOrAfter')));
  if (!confirmation) throw new Error(`the assertion was not made for ${acsUrl}, or has expired`);
  const restrictions = children(only(assertion, 'Conditions'), 'AudienceRestriction');
  const isFor = (restriction: Element): boolean => children(restriction, 'Audience').some(found => textOf(found) === entityId);
  if (restrictions.length === 0 || !restrictions.every(isFor)) throw new Error(`the audience of the assertion is not ${entityId}`);
  const ends = children(assertion, 'AuthnStatement')
    .map(found => attribute(found, 'SessionNotOnOrAfter'))
    .filter(end => end !== '')
    .map(timeOf);
  if (ends.some(end => end <= now)) throw new Error('the session at the provider has ended');
  return {
    id: attribute(assertion, 'ID'),
    nameId: textOf(nameId),
    nameIdFormat: attribute(nameId, 'Format'),
    inResponseTo: attribute(confirmation, 'InResponseTo'),
    expiresAt: timeOf(attribute(confirmation, 'NotOnOrAfter')) + clockSkew,
    ...(ends.length === 0 ? {} : { sessionEndsAt: Math.min(...ends) }),
    attributes: attributesOf(assertion),
  };
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const found = children(assertion, 'AttributeStatement').flatMap(statement => children(statement, 'Attribute'));
  const values = new Map<string, string[]>();
  for (const one of found) {
    const name = attribute(one, 'Name');
    values.set(name, [...(values.get(name) ?? []), ...children(one, 'AttributeValue').map(textOf)]);
  }
  return Object.fromEntries(values);
}

function children(element: Element, name: string): readonly Element[] {
  const found = Object.hasOwn(element, name) ? element[name] : undefined;
  return (Array.isArray(found) ? found : found === undefined ? [] : [found]).map(asElement);
}

function only(element: Element, name: string): Element {
  const [found, ...others] = children(element, name);
  if (!found || others.length > 0) throw new Error(`the assertion has ${others.length === 0 ? 'no' : 'more than one'} ${name}`);
  return found;
}

function asElement(value: unknown): Element {
  if (typeof value === 'string') return { _: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the assertion is not complete');
  return value as Element;
}

function textOf({ _: text }: Element): string {
  return typeof text === 'string' ? text : '';
}

function attribute({ $: attributes }: Element, name: string): string {
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, name)) return '';
  const value = (attributes as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

/** Milliseconds since 1970; a time that cannot be read has passed. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

const shown = (text: string | undefined): string => (text ? JSON.stringify(text.slice(0, 200)) : 'no issuer');
