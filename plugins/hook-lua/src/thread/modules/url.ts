/** `net/url`: parts of URLs, and escapes. */
import { LuaError, bytesOf, table } from '../lua-value.js';
import type { Arguments, LuaModules } from '../arguments.js';

export const urlModules: LuaModules = {
  'net/url': {
    parse: args => [table(parse(args.short(1)))],
    query_unescape: args => [bytesOf(decodeEscapes(args.short(1)))],
    path_escape: args => [pathEscape(bytesOfShort(args))],
    build_url: args => {
      const [scheme, host, path, query, fragment] = [1, 2, 3, 4, 5].map(at => (args.value(at) === undefined ? '' : args.short(at)));
      const slash = path && !path.startsWith('/') ? '/' : '';
      const tail = `${query && `?${query}`}${fragment && `#${fragment}`}`;
      const escaped = (path ?? '')
        .split('/')
        .map(part => part.replaceAll(/[?#%\s]/g, encodeURIComponent))
        .join('/');
      return [bytesOf(`${scheme && `${scheme}:`}//${host}${slash}${escaped}${tail}`)];
    },
  },
};

function bytesOfShort(args: Arguments): string {
  args.short(1);
  return args.bytes(1);
}

/** By the general syntax: what stands between `:`, `//`, `?` and `#`. */
function parse(url: string) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (/[\x00-\x1f\x7f]/.test(url)) throw new LuaError('invalid control character in URL');
  const found = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  if (!found) throw new LuaError(`invalid URL ${JSON.stringify(url)}`);
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = found;
  if (scheme === '' && /^[^/?#]*:/.test(url)) throw new LuaError('first path segment in URL cannot contain colon');
  return {
    scheme: scheme.toLowerCase(),
    host: bytesOf(authority.slice(authority.lastIndexOf('@') + 1)),
    path: bytesOf(decodeEscapes(path, false)),
    query: bytesOf(query),
    fragment: bytesOf(decodeEscapes(fragment, false)),
  };
}

function decodeEscapes(text: string, plusIsSpace = true): string {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text);
  if (bad) throw new LuaError(`invalid URL escape ${JSON.stringify(bad[0])}`);
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text;
  const bytes = Buffer.from(spaced, 'utf8')
    .toString('latin1')
    .replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Every byte but letters, digits, and those a segment may hold. */
function pathEscape(bytes: string): string {
  return bytes.replaceAll(/[^A-Za-z0-9\-_.~$&+=:@]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
