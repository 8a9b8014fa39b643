/** Addresses of LDAP directories (RFC 4516): `ldaps://host:port/base?attribute?scope?filter`. */

export interface LdapDirectory {
  /** Scheme, host and port. */
  readonly server: string;
  readonly secure: boolean;
  /** Where users are looked for. */
  readonly base: string;
  /** Holds the name with which a user logs in, and its name here. */
  readonly attribute: string;
  readonly scope: 'base' | 'one' | 'sub';
  /** Further condition on users, in parentheses. */
  readonly filter: string;
}

export function parseLdapUrl(text: string): LdapDirectory | { readonly problem: string } {
  const [, scheme, host = '', path = '', query = ''] = /^(ldaps?):\/\/([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(text) ?? [];
  if (scheme === undefined) return { problem: `${JSON.stringify(text)} is not ldap[s]://host/base?attribute?scope?filter` };
  try {
    const [attributes = '', scope = '', filter = '', extensions] = query.split('?').map(decodeURIComponent);
    const base = decodeURIComponent(path);
    if (base === '') return { problem: 'names no place in the directory, such as /ou=people,dc=example,dc=com' };
    const attribute = attributes || 'uid';
    if (!/^[A-Za-z][A-Za-z0-9.-]*$/.test(attribute)) return { problem: `${JSON.stringify(attribute)} is not one attribute, such as uid` };
    const depth = scope === '' ? 'sub' : scope;
    if (depth !== 'base' && depth !== 'one' && depth !== 'sub')
      return { problem: `scope ${JSON.stringify(scope)} is not one of base, one, sub` };
    if (filter !== '' && !/^\(.*\)$/s.test(filter)) return { problem: `filter ${JSON.stringify(filter)} has no parentheses around it` };
    if (extensions) return { problem: `extensions such as ${JSON.stringify(extensions)} are not known` };
    const secure = scheme.toLowerCase() === 'ldaps';
    return { server: `${scheme.toLowerCase()}://${host}`, secure, base, attribute, scope: depth, filter: filter || '(objectClass=*)' };
  } catch {
    return { problem: `${JSON.stringify(text)} has a wrong escape: % must be written %25` };
  }
}
