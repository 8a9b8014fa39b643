import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Proxies, sourceIp, sourceText } from '../../src/http/source-ip.js';

type Headers = Record<string, string | string[] | undefined>;

const ours = new Proxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);

function settled(peer: string, headers: Headers, proxies = ours): { readonly caller: string; readonly headers: Headers } {
  const given = { ...headers };
  proxies.settle(peer, given);
  return { caller: sourceIp(peer, given), headers: given };
}

describe('the address of a caller', () => {
  const table: readonly (readonly [peer: string, headers: Headers, caller: string])[] = [
    // Without proxies of ours nothing counts but the connection.
    ['203.0.113.9', { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4' }, '203.0.113.9'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4' }, '127.0.0.1'],
    ['192.168.0.1', { 'x-real-ip': '1.2.3.4' }, '192.168.0.1'],
    ['::ffff:203.0.113.9', {}, '203.0.113.9'],
    // Proxies of ours.
    ['10.0.0.5', {}, '10.0.0.5'],
    ['10.0.0.5', { 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
    ['::ffff:10.0.0.5', { 'x-forwarded-for': '::ffff:198.51.100.7' }, '198.51.100.7'],
    ['192.0.2.7', { 'x-real-ip': ' 198.51.100.7 ' }, '198.51.100.7'],
    ['fd00::1', { 'x-forwarded-for': '2001:db8::1' }, '2001:db8::1'],
    ['10.0.0.5', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
    ['10.0.0.5', { 'x-forwarded-for': '198.51.100.7:8080' }, '198.51.100.7'],
    ['10.0.0.5', { 'x-forwarded-for': '198.51.100.7', 'x-real-ip': '1.2.3.4' }, '198.51.100.7'],
    // What the caller sent stands before what our proxies have added.
    ['10.0.0.5', { 'x-forwarded-for': '1.2.3.4, 198.51.100.7' }, '198.51.100.7'],
    ['10.0.0.5', { 'x-forwarded-for': '1.2.3.4, 198.51.100.7, 10.0.0.9' }, '198.51.100.7'],
    ['10.0.0.5', { 'x-forwarded-for': ['1.2.3.4', '198.51.100.7'] }, '198.51.100.7'],
    ['10.0.0.5', { 'x-forwarded-for': '10.1.1.1, 10.0.0.9' }, '10.1.1.1'],
    ['10.0.0.5', { 'x-forwarded-for': '1.2.3.4, nonsense, 10.0.0.9' }, '10.0.0.9'],
    ['10.0.0.5', { 'x-forwarded-for': 'nonsense' }, '10.0.0.5'],
    ['', { 'x-forwarded-for': '1.2.3.4' }, ''],
  ];
  for (const [peer, headers, caller] of table)
    it(`${JSON.stringify(headers)} of ${peer}: ${caller}`, () => assert.equal(settled(peer, headers).caller, caller));

  it('cannot be chosen by the caller with any header', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.9', 'nonsense', ''), fc.string());
    fc.assert(
      fc.property(fc.array(hop), fc.ipV4(), fc.string(), (sent, real, realIp) => {
        // Our proxy appends the address of its peer.
        const headers = { 'x-forwarded-for': [...sent, real].join(', '), 'x-real-ip': realIp };
        fc.pre(!real.startsWith('10.') && real !== '192.0.2.7');
        assert.equal(settled('10.0.0.5', headers).caller, real);
        assert.equal(settled('203.0.113.1', headers).caller, '203.0.113.1');
      }),
    );
  });

  it('in a log line has the port of a direct connection', () => {
    assert.equal(sourceText('203.0.113.9', 4711, {}), '203.0.113.9:4711');
    assert.equal(sourceText('10.0.0.5', 4711, { 'x-forwarded-for': '198.51.100.7' }), '198.51.100.7');
  });
});

describe('notes of proxies', () => {
  it('of others are removed, other headers stay', () => {
    const others = { host: 'a', 'x-forwarded-host': 'b' };
    const notes = { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4', 'x-forwarded-proto': 'https', 'x-forwarded-ssl': 'on' };
    assert.deepEqual(settled('127.0.0.1', { ...others, ...notes }).headers, others);
    assert.deepEqual(settled('10.0.0.5', { ...others, ...notes }).headers, {
      ...others,
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-proto': 'https',
    });
  });

  it('say whether the caller came by TLS', () => {
    const scheme = (headers: Headers) => settled('10.0.0.5', headers).headers['x-forwarded-proto'];
    assert.equal(scheme({ 'x-forwarded-proto': 'HTTPS' }), 'https');
    assert.equal(scheme({ 'x-forwarded-proto': 'https, http' }), 'https');
    assert.equal(scheme({ 'x-forwarded-proto': 'http' }), 'http');
    assert.equal(scheme({ 'x-forwarded-ssl': 'on' }), 'https');
    assert.equal(scheme({ 'x-real-ip': '1.2.3.4' }), undefined);
  });
});
