import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Config } from '@srv/kernel';
import { bareAddress, parseAddress } from '../src/address.js';
import section from '../src/config.js';

const problems = (values: Record<string, unknown>): string => {
  try {
    Config.create(
      [section],
      Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' })),
    );
    return '';
  } catch (error) {
    return String(error);
  }
};
const good = { 'email.smtp_host': 'mail.example.com', 'email.sender': 'srv@example.com' };

describe('the configuration of mail', () => {
  it('needs a sender, and only where there is a host', () => {
    assert.equal(problems({}), '');
    assert.equal(problems(good), '');
    assert.match(problems({ 'email.smtp_host': 'mail.example.com' }), /email\.sender: "" is not an e-mail address/);
    assert.match(problems({ ...good, 'email.sender': 'nobody' }), /email\.sender: "nobody" is not an e-mail address/);
    assert.equal(problems({ ...good, 'email.sender': 'The Store <srv@example.com>' }), '');
  });

  it('is rejected with half an account, an invalid port, or a base that is not the address of a server', () => {
    assert.match(problems({ ...good, 'email.username': 'me' }), /email\.username and email\.password belong together/);
    assert.match(problems({ ...good, 'email.smtp_port': 70_000 }), /email\.smtp_port/);
    assert.match(problems({ ...good, 'email.srv_base_url': 'javascript:alert(1)' }), /email\.srv_base_url/);
    assert.match(problems({ ...good, 'email.srv_base_url': 'https://u:hush@x' }), /email\.srv_base_url: "https:\/\/\*{6}@x" is not/);
    assert.doesNotMatch(problems({ ...good, 'email.password': 'topsecret' }), /topsecret/);
  });
});

describe('e-mail addresses', () => {
  it('are read with and without a name, in lower case', () => {
    for (const text of ['ann@example.com', ' Ann@Example.COM ', 'Ann O. <ann@example.com>'])
      assert.equal(parseAddress(text), 'ann@example.com');
    assert.equal(parseAddress("o'neil+tag@sub.example.co"), "o'neil+tag@sub.example.co");
    assert.equal(parseAddress('root@localhost'), 'root@localhost');
  });

  it('differ from text that holds one', () => {
    assert.equal(bareAddress('Ann@Example.com'), 'ann@example.com');
    for (const text of [
      'Ann <ann@example.com>',
      '<ann@example.com>',
      ' ann@example.com',
      'ann@example.com ',
      'ann',
      '\u212Aim@example.com',
    ])
      assert.equal(bareAddress(text), undefined, text);
  });

  it('are refused when they could be something else in a message', () => {
    const bad = [
      '',
      'ann',
      '@example.com',
      'ann@',
      'a b@c.d',
      'a@b\r\nBcc: c@d',
      'a@b,c@d',
      '<a@b> c@d',
      'a@b.',
      'a@-b.c',
      `${'a'.repeat(300)}@b.c`,
      'a@b@c',
      'a"b"@c.d\n',
    ];
    for (const text of bad) assert.equal(parseAddress(text), undefined, JSON.stringify(text));
  });
});
