import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config } from '@srv/kernel';
import { fakeContext, refusal, runCommand } from '@srv/lib-commands/testing';
import { doctor } from '../src/cli/doctor.js';
import type { CommandContext } from '@srv/lib-commands';
import type { Diagnosis } from '../src/cli/diagnose.js';

const good = {
  'credentials.access_key_id': 'AKIAJAAAAAAAAAAAAAAQ',
  'credentials.secret_access_key': 'b'.repeat(40),
  'server.endpoint_url': 'http://srv.example:8000',
};
const page = { results: [], pagination: { has_more: false, next_offset: '', results: 0, max_per_page: 1000 } };

async function diagnose(answers: Record<string, unknown>, values: Readonly<Record<string, string>> = good): Promise<Diagnosis> {
  const entries = Object.entries(values).map(([key, raw]) => ({ key, raw, source: `CLI_${key}` }));
  const configuration: CommandContext['configuration'] = {
    file: '/home/ann/.cli.yaml',
    show: () => entries.map(({ key, raw, source }) => ({ key, value: raw, source })),
    read: async section => Config.create([section], entries).values(section.keys),
  };
  const { data } = await runCommand([doctor], fakeContext(answers, { configuration }), 'doctor');
  return data as Diagnosis;
}

const failing = (error: unknown) => ({ listRepositories: () => Promise.reject(error) });

test('the right thing is blamed, with what to do about it', async () => {
  const system = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(`${code} x`), { code }) });
  const cases: readonly (readonly [error: unknown, diagnosis: RegExp, remedy: RegExp])[] = [
    [
      refusal(401, 'error authenticating request'),
      /issue with your access_key_id or secret_access_key\.\nerror auth/,
      /They come from CLI_cred/,
    ],
    [refusal(403, 'no'), /^The server at http:\/\/srv\.example:8000 refuses this user: no/, /Ask an administrator/],
    [
      refusal(404, 'not here'),
      /^It looks like endpoint url is wrong: http:\/\/srv\.example:8000\nnot here/,
      /comes from CLI_server\.endpoint_url/,
    ],
    [refusal(503, 'no database'), /^The server at .* has a problem \(HTTP 503\): no database/, /not to blame: look at the log/],
    [refusal(418, 'tea'), /^It looks like you have a problem with your \/home\/ann\/\.cli\.yaml file\.\ntea/, /./],
    [system('ECONNREFUSED'), /^It looks like endpoint url is wrong/, /Nothing listens at/],
    [system('ENOTFOUND'), /^It looks like endpoint url is wrong/, /has no address/],
    [system('SELF_SIGNED_CERT_IN_CHAIN'), /^The certificate of .* is not trusted/, /NODE_EXTRA_CA_CERTS/],
    [new Error('Unexpected token <'), /^It looks like endpoint url is wrong/, /comes from/],
  ];
  for (const [error, diagnosis, remedy] of cases) {
    const { healthy, findings } = await diagnose(failing(error));
    assert.equal(healthy, false);
    assert.equal(doctor.failed?.({ healthy, findings }), true);
    assert.match(findings[0] ?? '', diagnosis);
    assert.match(findings.join('\n'), remedy);
  }
  const unusual = await diagnose(failing(refusal(401, 'x')), { ...good, 'credentials.access_key_id': 'ann' });
  assert.match(unusual.findings.at(-1) ?? '', /access key ID is not in its usual form/);
});

test('missing credentials are not taken for a wrong address', async () => {
  const { findings } = await diagnose(failing(new Error('credentials.access_key_id is not set')), {
    ...good,
    'credentials.secret_access_key': '',
  });
  assert.deepEqual(findings, ['credentials.secret_access_key is not set: run "cli config", or set CLI_CREDENTIALS_SECRET_ACCESS_KEY.']);
});

test('a healthy server can still be odd: its clock, its release', async () => {
  const date = new Date(Date.now() - 3_600_000).toUTCString();
  const config = {
    version_config: { version: '1.0.0', latest_version: '2.0.0', upgrade_recommended: true, alerts: [{ id: 'A1', description: 'd' }] },
  };
  const answers = { listRepositories: page, call: { headers: { date }, data: page, status: 200 }, getConfig: config };
  const { healthy, findings } = await diagnose(answers);
  assert.equal(healthy, true);
  assert.equal(findings[0], 'Valid configuration');
  assert.match(findings[1] ?? '', /^The clock of this machine is 1h\w* ahead of the server's/);
  assert.equal(findings[2], 'The server runs 1.0.0; an upgrade to 2.0.0 is recommended.');
  assert.equal(findings[3], "Security alert A1 about the server's release: d");
  const quiet = { listRepositories: page, call: { headers: { date: new Date().toUTCString() } }, getConfig: {} };
  assert.deepEqual((await diagnose(quiet)).findings, ['Valid configuration']);
});
