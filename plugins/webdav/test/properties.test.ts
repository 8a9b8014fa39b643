/** PROPFIND and PROPPATCH. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readProperties } from '../src/server/properties/dead.js';
import { readXml, toXml } from '../src/server/xml/read.js';
import { hrefsIn, startDav } from './support/server.js';
import type { DavServer } from './support/server.js';

let server: DavServer;
before(async () => {
  server = await startDav({ 'webdav.max_listing': 1500, 'webdav.list_tags': true }, ['gateway-s3']);
  await server.dav('PUT', '/repo/main/file', { body: 'text' });
});
after(() => server.stop());

const dav: DavServer['dav'] = (...args) => server.dav(...args);
const find = (path: string, body: string, depth = '0') => dav('PROPFIND', path, { headers: { depth }, body });
const patch = (path: string, content: string) =>
  dav('PROPPATCH', path, { body: `<D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:z">${content}</D:propertyupdate>` });

test('live properties have the forms that clients parse', async () => {
  const { status, body } = await dav('PROPFIND', '/repo/main/file', { headers: { depth: '0' } });
  assert.equal(status, 207);
  assert.match(body, /<D:getlastmodified>\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT<\/D:getlastmodified>/);
  assert.match(body, /<D:creationdate>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ</);
  assert.match(body, /<D:getcontentlength>4<.*<D:getetag>&#34;1cb251ec0d568de6a929b520c4aed8d1&#34;</);
  assert.match(body, /<D:resourcetype\/>/);
  assert.doesNotMatch(body, /quota/);
  const folder = await find(
    '/repo/main/',
    '<propfind xmlns="DAV:"><prop><quota-available-bytes/><quota-used-bytes/><getcontentlength/><executable xmlns="http://apache.org/dav/props/"/></prop></propfind>',
  );
  assert.match(folder.body, /<D:quota-available-bytes>1099511627776</);
  assert.match(
    folder.body,
    /<D:getcontentlength\/><N:executable xmlns:N="http:\/\/apache.org\/dav\/props\/"\/><\/D:prop><D:status>HTTP\/1.1 404/,
  );
});

test('the depth is 0 or 1', async () => {
  const infinite = await dav('PROPFIND', '/repo/main/', { headers: { depth: 'infinity' } });
  assert.equal(infinite.status, 403);
  assert.match(infinite.body, /<D:propfind-finite-depth\/>/);
  assert.equal((await dav('PROPFIND', '/repo/main/', { headers: { depth: '2' } })).status, 400);
});

test('properties are set, found, copied, and kept by a write and a commit', async () => {
  const set = await patch(
    '/repo/main/file',
    '<D:set><D:prop xml:lang="en"><Z:colour Z:shade="dark">re<b>d</b> &amp; blue</Z:colour></D:prop></D:set>',
  );
  assert.match(set.body, /200 OK/);
  await dav('PUT', '/repo/main/file', { body: 'other text' });
  await dav('COPY', '/repo/main/file', { headers: { destination: '/dav/repo/main/copy' } });
  await server.engine.commit('repo', 'main', { committer: 'test', message: 'properties' });
  for (const path of ['file', 'copy']) {
    const { body } = await find(`/repo/main/${path}`, '<propfind xmlns="DAV:"><prop><colour xmlns="urn:z"/></prop></propfind>');
    assert.match(
      body,
      /<N:colour xmlns:N="urn:z" xmlns:A0="urn:z" A0:shade="dark" xml:lang="en">re<b xmlns="">d<\/b> &amp; blue<\/N:colour>/,
    );
  }
  assert.match((await find('/repo/main/file', '<propfind xmlns="DAV:"><propname/></propfind>')).body, /<N:colour xmlns:N="urn:z"\/>/);
  await patch('/repo/main/file', '<D:remove><D:prop><Z:colour/></D:prop></D:remove>');
  assert.deepEqual((await server.engine.getEntry('repo', 'main', 'file')).metadata, {});
});

test('protected properties refuse the whole request, those of Windows are accepted and not kept', async () => {
  const refused = await patch('/repo/main/file', '<D:set><D:prop><D:getetag>x</D:getetag><Z:a>1</Z:a></D:prop></D:set>');
  assert.match(refused.body, /403 Forbidden.*424 Failed Dependency/s);
  assert.deepEqual((await server.engine.getEntry('repo', 'main', 'file')).metadata, {});
  const windows = await patch(
    '/repo/main/file',
    '<D:set><D:prop><W:Win32CreationTime xmlns:W="urn:schemas-microsoft-com:">Mon, 01 Jan 2024 00:00:00 GMT</W:Win32CreationTime></D:prop></D:set>',
  );
  assert.match(windows.body, /200 OK/);
  assert.deepEqual((await server.engine.getEntry('repo', 'main', 'file')).metadata, {});
  assert.equal((await patch('/repo/main/file', `<D:set><D:prop><Z:big>${'x'.repeat(9000)}</Z:big></D:prop></D:set>`)).status, 507);
  assert.equal((await patch('/repo/main/', '<D:set><D:prop><Z:a/></D:prop></D:set>')).status, 403);
});

test('folders keep properties in their marker', async () => {
  await server.engine.putObject('repo', 'main', 'plain/object', Buffer.from('x'));
  assert.match((await patch('/repo/main/plain/', '<D:set><D:prop><Z:a>1</Z:a></D:prop></D:set>')).body, /200 OK/);
  assert.match((await find('/repo/main/plain/', '<propfind xmlns="DAV:"><allprop/></propfind>')).body, /<N:a xmlns:N="urn:z">1<\/N:a>/);
});

test('XML that is not well-formed, or too much of it, is refused', async () => {
  for (const body of [
    '<propfind xmlns="DAV:"><prop>',
    '<propfind xmlns="DAV:"><prop><a:b xmlns:a=""/></prop></propfind>',
    '<D:propfind/>',
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><propfind xmlns="DAV:"><allprop/></propfind>',
    `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`,
    `<a>${'<b/>'.repeat(6000)}</a>`,
    '<other xmlns="DAV:"/>',
    'text',
    '\0',
  ])
    assert.equal((await find('/repo/main/file', body)).status, 400, body.slice(0, 40));
  assert.equal((await find('/repo/main/file', `<a>${'x'.repeat(200_000)}</a>`)).status, 413);
});

test('metadata that other programs wrote cannot break an answer', () => {
  for (const text of ['{', '{}', '["<a"]', '[1]', '["</D:prop>"]', 'null'])
    assert.deepEqual([...readProperties({ 'Webdav-Properties': text })], []);
  assert.equal(toXml(readXml('<a b="&quot;&lt;"/>')), '<a xmlns="" b="&#34;&lt;"></a>');
});

test('a listing is streamed, and ends with 507 where the folder has more members than allowed', async () => {
  const { engine } = server;
  const empty = await engine.putObject('repo', 'dev', 'seed', Buffer.from(''));
  const repository = await engine.getRepository('repo');
  await Promise.all(
    Array.from({ length: 1600 }, (_, i) =>
      engine.stageEntry(repository, 'dev', `many/${i}`, {
        address: empty.address,
        addressType: empty.addressType,
        size: 0,
        etag: empty.etag,
      }),
    ),
  );
  const { body, headers } = await dav('PROPFIND', '/repo/dev/many/', { headers: { depth: '1' } });
  assert.equal(headers['content-length'], undefined);
  const hrefs = hrefsIn(body);
  assert.equal(hrefs.length, 1 + 1500 + 1);
  assert.match(body, /<D:href>\/dav\/repo\/dev\/many\/<\/D:href><D:status>HTTP\/1.1 507/);
  assert.ok(body.endsWith('</D:multistatus>\n'));
});

test('signed S3 requests for a bucket named dav reach the gateway', async () => {
  const authorization =
    'AWS4-HMAC-SHA256 Credential=AKIAJTESTTESTTESTTEQ/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00';
  const { headers } = await dav('GET', '/main/x', { headers: { authorization } });
  assert.ok(headers['x-amz-request-id']);
});
