import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLdapUrl } from '../src/ldap-url.js';

test('addresses of directories are read', () => {
  assert.deepEqual(parseLdapUrl('ldaps://host:636/ou=people,dc=example?mail?one?(objectClass=person)'), {
    server: 'ldaps://host:636',
    secure: true,
    base: 'ou=people,dc=example',
    attribute: 'mail',
    scope: 'one',
    filter: '(objectClass=person)',
  });
  assert.deepEqual(parseLdapUrl('ldap://host/dc=ex%20ample'), {
    server: 'ldap://host',
    secure: false,
    base: 'dc=ex ample',
    attribute: 'uid',
    scope: 'sub',
    filter: '(objectClass=*)',
  });
});

test('addresses that say something else are refused with the reason', () => {
  const wrong: Record<string, RegExp> = {
    'http://host/x': /is not ldap/,
    'ldap://host': /names no place/,
    'ldap://host/dc=a?uid,mail': /is not one attribute/,
    'ldap://host/dc=a?uid?deep': /scope "deep"/,
    'ldap://host/dc=a?uid?sub?objectClass=*': /no parentheses/,
    'ldap://host/dc=a?uid?sub?(a=b)?bindname=x': /extensions/,
    'ldap://host/dc=%zz': /wrong escape/,
  };
  for (const [url, problem] of Object.entries(wrong)) {
    const parsed = parseLdapUrl(url);
    assert.match('problem' in parsed ? parsed.problem : '', problem, url);
  }
});
