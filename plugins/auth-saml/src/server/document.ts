/** Looks a response through before anything parses it. */
import { SrvError } from '@srv/kernel';

/** Bytes of a document. Those of providers have 5,000 to 50,000. */
const largestDocument = 262_144;
/** Tags, of which signatures are checked in a time that grows with their square. */
const mostTags = 6000;
const methodAttribute = 'Algorithm';
/** Characters of the attribute; names of methods have fifty. */
const longestMethod = 300;
/** What no signature may be made with: SHA-1 and MD5 can be forged, and a key that is published serves no HMAC. */
const weak = ['#rsa-sha1', '#sha1', '#hmac-', '#rsa-md5', '#md5', '#dsa-sha1'];

/**
 * @param encoded the form field `SAMLResponse`.
 * @returns the document.
 * @throws SrvError `unauthenticated` with the reason as its cause.
 */
export function readDocument(encoded: unknown): string {
  if (typeof encoded !== 'string' || encoded === '') throw refused('the form has no SAMLResponse');
  if (encoded.length > largestDocument * 1.5) throw refused(`the response has more than ${largestDocument} bytes`);
  const base64 = encoded.replace(/[\r\n\t ]/g, '');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > largestDocument) throw refused(`the response has more than ${largestDocument} bytes`);
  if (bytes.toString('base64') !== base64) throw refused('the response is not base64');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('the response is not UTF-8');
  }
  checkMarkup(text);
  return text;
}

/**
 * A document type can expand entities, a comment can split a name that is signed as a whole, and a signature does not cover
 * how sections are written: providers write none of them.
 */
function checkMarkup(text: string): void {
  let tags = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (text[at + 1] === '!') throw refused('the response has a document type, a comment or a CDATA section');
    if (text[at + 1] === '?' && !(at === 0 && /^<\?xml\s/.test(text.slice(0, 6))))
      throw refused('the response has a processing instruction');
    if (++tags > mostTags) throw refused(`the response has more than ${mostTags} tags`);
  }
  // Written with a reference, the name of a method would not be found below.
  for (let at = text.indexOf(methodAttribute); at >= 0; at = text.indexOf(methodAttribute, at + 1)) {
    const [written = ''] = text.slice(at, at + longestMethod).split('>', 1);
    if (written.includes('&')) throw refused('a method of a signature is written with references');
  }
  const found = weak.find(name => text.includes(name));
  if (found) throw refused(`the response uses ${found.slice(1)}: set the provider to RSA or ECDSA with SHA-256`);
}

/** Callers learn nothing; the log says why. */
export function refused(reason: string): SrvError {
  return new SrvError('unauthenticated', 'error authenticating request', { cause: new Error(reason) });
}
