/** Text of XML documents. */

const escapes: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** Everything that is markup, white space a parser would change, or no XML 1.0 character: the last become U+FFFD. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const special = /["'&<>\t\n\r]|[\u0000-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Only ASCII that needs no escape, as in most keys. */
const plain = /^[ !#-%(-;=?-~]*$/;

/** Text as the content of an element, or as the value of an attribute. */
export function escapeXml(text: string): string {
  return plain.test(text) ? text : text.replace(special, char => escapes[char] ?? '\ufffd');
}
