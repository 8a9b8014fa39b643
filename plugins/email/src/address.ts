/** E-mail addresses as they may be written into a message: nothing in them can end a header or name a second recipient. */

const longest = 254;
const address =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** The bare address of `ann@example.com` or `Ann <ann@example.com>`, in lower case; `undefined` for anything else. */
export function parseAddress(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const bare = /^[^<>\r\n]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  return address.test(bare) ? bare.toLowerCase() : undefined;
}

/** The address in lower case if `text` is one and nothing else; `undefined` for `Ann <ann@example.com>`, too. */
export function bareAddress(text: string): string | undefined {
  const found = parseAddress(text);
  return found === text.toLowerCase() ? found : undefined;
}
