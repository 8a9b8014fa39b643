import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareSync, hashSync } from 'bcryptjs';
import { Passwords, checkPassword } from '../src/server/passwords.js';

describe('passwords', () => {
  it('are hashed as existing databases hold them, and checked against those', async t => {
    const passwords = new Passwords(4);
    t.after(() => passwords.close());
    const hash = await passwords.hash('pässword with ünicode');
    assert.match(hash, /^\$2b\$04\$/);
    assert.equal(compareSync('pässword with ünicode', hash), true);
    const kept = hashSync('from elsewhere', 4).replace('$2b$', '$2a$');
    assert.deepEqual([await passwords.matches('from elsewhere', kept), await passwords.matches('From elsewhere', kept)], [true, false]);
    assert.notEqual(await passwords.hash('pässword with ünicode'), hash, 'a salt of its own');
  });

  it('match nothing that is not a hash, the empty one included', async t => {
    const passwords = new Passwords(4);
    t.after(() => passwords.close());
    for (const hash of ['', 'x', '$2b$10$short', 'from elsewhere'])
      assert.equal(await passwords.matches('from elsewhere', hash), false, hash);
  });

  it('have a length at which the algorithm looks at all of them', () => {
    for (const good of ['8 charac', 'ü'.repeat(36)]) checkPassword(good);
    for (const bad of ['', '7 chara', 'ü'.repeat(37), '😀'.repeat(7)])
      assert.throws(() => checkPassword(bad), { code: 'invalid', message: /at least 8 characters and at most 72 bytes/ });
  });

  it('that wait when the server stops are not answered, and later ones start again', async t => {
    const passwords = new Passwords(12);
    const waiting = Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash('some password')));
    await passwords.close();
    const settled = await waiting;
    assert.ok(settled.some(({ status }) => status === 'rejected'));
    t.after(() => passwords.close());
    assert.equal(await passwords.matches('x', hashSync('x', 4)), true);
  });

  it('are not queued without end', async t => {
    const passwords = new Passwords(4);
    t.after(() => passwords.close());
    const many = await Promise.allSettled(Array.from({ length: 250 }, () => passwords.matches('x', '')));
    assert.equal(many.filter(({ status }) => status === 'rejected').length, 50);
  });
});
