/** `cli doctor`, as people run it, against a server that runs no actions. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSrv } from '@srv/test-servers';
import type {} from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';

const program = fileURLToPath(new URL('../../../../cli/bin/cli.js', import.meta.url));

describe('cli doctor', () => {
  let home = '';
  let server: RunningSrv;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'srv-doctor-'));
    server = await startSrv();
    const { accessKeyId, secretAccessKey } = server.key;
    const credentials = `credentials:\n  access_key_id: ${accessKeyId}\n  secret_access_key: ${secretAccessKey}\n`;
    writeFileSync(join(home, '.cli.yaml'), `${credentials}server:\n  endpoint_url: ${server.url}\n  retries:\n    enabled: false\n`);
  });
  after(async () => {
    await server.stop();
    rmSync(home, { recursive: true });
  });

  const doctor = (env: Readonly<Record<string, string>> = {}, ...more: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string }>(resolve => {
      const all = { PATH: process.env['PATH'] ?? '', HOME: home, ...env };
      execFile(process.execPath, [program, 'doctor', ...more], { cwd: home, env: all }, (error, stdout) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout }),
      );
    });

  it('distinguishes wrong credentials, wrong addresses and no problem', async () => {
    assert.deepEqual(await doctor(), { code: 0, stdout: 'Valid configuration\n' });
    const bare = { CLI_CONFIG_FILE: join(home, 'none.yaml'), CLI_SERVER_RETRIES_ENABLED: 'false', CLI_SERVER_ENDPOINT_URL: server.url };
    const unset = await doctor(bare);
    assert.equal(unset.code, 1);
    assert.match(unset.stdout, /^credentials\.access_key_id and credentials\.secret_access_key are not set: run "cli config"/);
    const wrong = { ...bare, CLI_CREDENTIALS_ACCESS_KEY_ID: 'AKIAJAAAAAAAAAAAAAAQ', CLI_CREDENTIALS_SECRET_ACCESS_KEY: 'b'.repeat(40) };
    const refused = await doctor(wrong);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /issue with your access_key_id or secret_access_key/);
    assert.match(refused.stdout, /They come from CLI_CREDENTIALS_ACCESS_KEY_ID and CLI_CREDENTIALS_SECRET_ACCESS_KEY;/);
    const nowhere = await doctor({ ...wrong, CLI_SERVER_ENDPOINT_URL: 'http://127.0.0.1:1' });
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stdout, /^It looks like endpoint url is wrong: http:\/\/127\.0\.0\.1:1\n/);
    assert.match(nowhere.stdout, /comes from CLI_SERVER_ENDPOINT_URL\.\n.*Nothing listens at/s);
  });

  it('shows where values come from, without secrets, and the whole as data', async () => {
    const { stdout } = await doctor({}, '--verbose');
    assert.match(stdout, /^server\.endpoint_url: "http:.*" {2}# .*\.cli\.yaml/m);
    assert.match(stdout, /^server\.retries\.max_wait_interval: "30s"/m);
    assert.ok(!stdout.includes(server.key.secretAccessKey));
    const data = JSON.parse((await doctor({ CLI_SERVER_ENDPOINT_URL: 'x' }, '-o', 'json')).stdout) as { readonly healthy: boolean };
    assert.equal(data.healthy, true);
  });

  it('names repositories whose action files are not run', async () => {
    const engine = server.kernel.services.get('engine');
    await engine.createRepository({ id: 'gated', storageNamespace: 'local://gated' });
    await engine.createRepository({ id: 'plain', storageNamespace: 'local://plain' });
    await engine.putObject('gated', 'main', '_lakefs_actions/check.yaml', Buffer.from('x'));
    await engine.createRepository({ id: 'branched', storageNamespace: 'local://branched' });
    await engine.createBranch('branched', 'dev', 'main');
    await engine.putObject('branched', 'dev', '_srv_actions/check.yaml', Buffer.from('x'));
    const sentence = (repository: string, file: string): string =>
      `Repository ${repository} has action files (${file}), and this server runs none: operations they would stop succeed.\n`;
    assert.deepEqual(await doctor(), {
      code: 0,
      stdout: `Valid configuration\n${sentence('branched', '_srv_actions/check.yaml on dev')}${sentence('gated', '_lakefs_actions/check.yaml on main')}`,
    });
  });
});
