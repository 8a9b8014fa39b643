import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MemberNames } from '../../src/objects/archive/member-names.js';

const nameOf = (path: string): string => new MemberNames().of(path);

describe('names of archive members', () => {
  it('are the paths, unless these lead elsewhere', () => {
    for (const plain of [
      'a.csv',
      'a/b/c d.txt',
      'Größe/日本.txt',
      '.hidden',
      '..a/b..c',
      'a/2026-11-27T10:00.csv',
      'folder/',
      'aux1/console',
    ])
      assert.equal(nameOf(plain), plain);
    for (const [path, name] of [
      ['../../etc/passwd', '__/__/etc/passwd'],
      ['a/./b', 'a/_/b'],
      ['/etc/passwd', '_/etc/passwd'],
      ['a//b', 'a/_/b'],
      ['srv://x/y', 'srv_/_/x/y'],
      ['C:\\Windows\\x', 'C__Windows_x'],
      ['..\\..\\x', '.._.._x'],
      ['a\0b\n', 'a_b_'],
      ['.. /x. . ', '___/x____'],
      ['nul', '_nul'],
      ['a/COM1.txt', 'a/_COM1.txt'],
      ['../', '__/'],
      ['/', '_/'],
    ] as const)
      assert.equal(nameOf(path), name, path);
  });

  it('stay within the folder on every system, each once', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'C:', '\\', '.. ', 'a', 'A', 'nul', '\0'), fc.string({ unit: 'binary' }));
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map(parts => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), paths => {
        const names = new MemberNames();
        const given = paths.map(each => names.of(each));
        assert.equal(new Set(given.map(name => name.toLowerCase())).size, given.length);
        for (const name of given) {
          assert.ok(posix.resolve('/out', name).startsWith('/out/'), JSON.stringify(name));
          assert.ok(win32.resolve('C:\\out', name).startsWith('C:\\out\\'), JSON.stringify(name));
          for (const piece of name.replace(/\/$/, '').split('/'))
            assert.ok(piece !== '' && !/[. ]$/.test(piece) && ![...piece].some(c => c < ' ' || c === '\\'), JSON.stringify(name));
        }
      }),
    );
  });

  it('get a number when they would be the same', () => {
    const names = new MemberNames();
    assert.deepEqual(
      ['a/x.csv', 'a/X.csv', 'a/x.csv', '../y', '__/y', 'd//', 'd/_/'].map(path => names.of(path)),
      ['a/x.csv', 'a/X (2).csv', 'a/x (3).csv', '__/y', '__/y (2)', 'd/_/', 'd/_ (2)/'],
    );
  });

  it('are not those of folders in the archive', () => {
    for (const [paths, given] of [
      [
        ['a', 'a/b'],
        ['a (2)', 'a/b'],
      ],
      [
        ['A.csv', 'a (2).csv/x', 'a.csv/b/c'],
        ['A (3).csv', 'a (2).csv/x', 'a.csv/b/c'],
      ],
      [
        ['a', 'a/'],
        ['a (2)', 'a/'],
      ],
      [
        ['x/y', 'x/Y/z'],
        ['x/y (2)', 'x/Y/z'],
      ],
    ] as const) {
      const names = new MemberNames();
      for (const path of paths) names.expect(path);
      assert.deepEqual(
        paths.map(path => names.of(path)),
        given,
      );
    }
  });

  it('get the next number each, however many are the same', () => {
    const names = new MemberNames();
    const taken = ['x (3).csv', 'X (4).CSV'].map(path => names.of(path));
    const same = Array.from({ length: 20_000 }, (_, i) => names.of(i % 2 === 0 ? 'x.csv' : 'X.csv'));
    assert.deepEqual(same.slice(0, 4), ['x.csv', 'X (2).csv', 'x (5).csv', 'X (6).csv']);
    assert.equal(same.at(-1), 'X (20002).csv');
    assert.equal(new Set([...taken, ...same].map(name => name.toLowerCase())).size, 20_002);
  });
});
