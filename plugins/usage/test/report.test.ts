/** Reports of whole servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ApiError, createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { usageSummary } from '../src/cli/summary.js';
import operations from '../src/operations.js';
import type { RunningSrv } from '@srv/test-servers';

const clientOf = ({ url, key }: RunningSrv) => createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
const thisMonth = new Date().toISOString().slice(0, 7);

test('a report contains the requests up to now, and nothing is lost when the server stops', async t => {
  const plugins = ['usage', 'gateway-s3'];
  const first = await startSrv({ plugins });
  const client = clientOf(first);
  for (let i = 0; i < 3; i++) await client.call('getUsageReportSummary', {});
  const s3 = new S3Client({
    endpoint: first.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: first.key,
  });
  await s3.send(new ListBucketsCommand({}));
  s3.destroy();
  // A rejected request is not counted.
  await fetch(`${first.url}/api/v1/repositories`);
  const { reports, installation_id } = await client.getUsageReportSummary({});
  assert.equal(reports.at(-1)?.count, 5);
  assert.equal(installation_id, first.kernel.services.get('identity').installationId);
  const kv = first.kernel.services.get('kv');
  // What is counted after the last report is only in memory when the stop begins.
  let last: string | undefined;
  await client.getUsageReportSummary({}).then(async () => {
    const authorization = `Basic ${Buffer.from(`${first.key.accessKeyId}:${first.key.secretAccessKey}`).toString('base64')}`;
    for (let i = 0; i < 5; i++) await fetch(`${first.url}/api/v1/repositories`, { headers: { authorization } });
  });
  const close = kv.close.bind(kv);
  kv.close = async () => {
    const key = Buffer.from(`usage/monthly/${installation_id}/${thisMonth.replace('-', '')}`);
    last = (await kv.get('usage', key))?.value.toString();
    await close();
  };
  client.close();
  await first.stop();
  t.diagnostic(`stored at stop: ${last}`);
  assert.equal(last, '11');
});

test('the text form is for clients that accept exactly that', async () => {
  const server = await startSrv({ plugins: ['usage'] });
  try {
    const authorization = `Basic ${Buffer.from(`${server.key.accessKeyId}:${server.key.secretAccessKey}`).toString('base64')}`;
    const get = (accept: string): Promise<Response> =>
      fetch(`${server.url}/api/v1/usage-report/summary`, { headers: { authorization, accept } });
    const text = await get('text/plain');
    assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
    const { installationId } = server.kernel.services.get('identity');
    assert.equal(await text.text(), `Usage for installation ID: ${installationId}\n${thisMonth}:            1\n`);
    const other = await get('text/plain, */*');
    assert.equal(other.headers.get('content-type'), 'application/json');
    assert.equal((await fetch(`${server.url}/api/v1/usage-report/summary`)).status, 401);
  } finally {
    await server.stop();
  }
});

test('switched off, nothing is counted and the report says so', async () => {
  const server = await startSrv({ plugins: ['usage'], config: { 'usage_report.enabled': false } });
  const client = clientOf(server);
  try {
    assert.equal(server.kernel.wiring()['activity'], undefined);
    await assert.rejects(client.getUsageReportSummary({}), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.message], [404, 'usage report is not enabled']);
      return true;
    });
  } finally {
    client.close();
    await server.stop();
  }
});

test('the command prints what the server reports', async () => {
  const reports = [
    { year: 2025, month: 12, count: 7 },
    { year: 2026, month: 1, count: 123_456 },
  ];
  const fake = fakeContext({ getUsageReportSummary: { installation_id: 'abc', reports } });
  const { text } = await runCommand([usageSummary], fake, 'usage summary', [], {});
  assert.equal(text, 'Usage for installation ID: abc\n\n2025\t12\t7\n2026\t1\t123456');
});
