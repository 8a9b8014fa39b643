import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge, matchesEtag, mayContinue, namesEtag, parseHttpDate } from '../../src/http/index.js';

describe('conditions', () => {
  it('name tags, quoted or not', () => {
    assert.ok(namesEtag('"a"', '"a"') && namesEtag('*', '"a"') && namesEtag('"b", W/"a"', '"a"') && namesEtag('a', 'a'));
    assert.ok(!namesEtag('"b"', '"a"') && !namesEtag('', 'a'));
    assert.ok(matchesEtag('"a"', '"a"') && matchesEtag('*', '"a"') && matchesEtag('"b", "a"', '"a"') && matchesEtag('a', 'a'));
    assert.ok(!matchesEtag('W/"a"', '"a"') && !matchesEtag('"b", W/"a"', 'a') && !matchesEtag('W/a', 'a'));
  });

  it('are judged by tag before date', () => {
    const at = new Date('2024-01-01T00:00:00.500Z');
    const earlier = 'Sun, 31 Dec 2023 23:59:59 GMT';
    const same = 'Mon, 01 Jan 2024 00:00:00 GMT';
    assert.equal(judge({}, 'e', at), 'proceed');
    assert.equal(judge({ ifMatch: '"e"' }, 'e', at), 'proceed');
    assert.equal(judge({ ifMatch: '"x", "e"' }, 'e', at), 'proceed');
    assert.equal(judge({ ifMatch: '"x"' }, 'e', at), 'failed');
    assert.equal(judge({ ifMatch: 'W/"e"' }, 'e', at), 'failed');
    assert.equal(judge({ ifNoneMatch: 'W/"e"' }, 'e', at), 'not_modified');
    assert.equal(judge({ ifNoneMatch: '*' }, 'e', at), 'not_modified');
    assert.equal(judge({ ifNoneMatch: '"x"', ifModifiedSince: same }, 'e', at), 'proceed');
    assert.equal(judge({ ifModifiedSince: same }, 'e', at), 'not_modified');
    assert.equal(judge({ ifModifiedSince: earlier }, 'e', at), 'proceed');
    assert.equal(judge({ ifUnmodifiedSince: earlier }, 'e', at), 'failed');
    assert.equal(judge({ ifUnmodifiedSince: earlier, ifMatch: '"e"' }, 'e', at), 'proceed');
    assert.equal(judge({ ifModifiedSince: 'never' }, 'e', at), 'proceed');
  });

  it('let a range continue what has the same strong tag only', () => {
    for (const same of [undefined, '"e"', ' "e" ']) assert.equal(mayContinue(same, 'e'), true, same);
    assert.equal(mayContinue('"e"', '"e"'), true);
    for (const other of ['"x"', 'W/"e"', 'e', '', '"e", "x"', '*', new Date().toUTCString()])
      assert.equal(mayContinue(other, 'e'), false, other);
  });

  it('take dates with a name or a number of their zone', () => {
    assert.equal(parseHttpDate('Tue, 27 Mar 2007 21:36:42 +0200')?.toISOString(), '2007-03-27T19:36:42.000Z');
    assert.equal(parseHttpDate('yesterday'), undefined);
  });
});
