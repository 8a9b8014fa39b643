import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { definePlugin } from '@srv/kernel';
import { ScriptedHttp, startSrv } from '@srv/test-servers';
import { isNewer } from '../src/server/newer.js';
import type { TestContext } from 'node:test';
import type { Logger } from '@srv/kernel';

const alert = { id: 'ADV-1', affected_versions: '<2', patched_versions: '2.0.0', description: 'reads too much' };

interface Neighbour {
  readonly url: string;
  readonly asked: readonly string[];
}

/** Answers `/release` and `/audit` as the test says. */
async function neighbour(t: TestContext, answers: Readonly<Record<string, unknown>>): Promise<Neighbour> {
  const asked: string[] = [];
  const server = await ScriptedHttp.open(({ url = '' }, response) => {
    asked.push(url);
    const answer = answers[new URL(url, 'http://x').pathname];
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  t.after(() => server.close());
  return { url: server.url, asked };
}

/** Lines at level warn. */
function listeningLog(lines: [string, unknown][]) {
  return definePlugin({
    name: 'listening-log',
    apply({ hooks, services }) {
      const ignore = (): void => undefined;
      const log: Logger = {
        trace: ignore,
        debug: ignore,
        info: ignore,
        warn: (...line: unknown[]) => void lines.push([String(line.at(-1)), line[0]]),
        error: ignore,
        child: () => log,
      };
      hooks.configured.tap('listening-log', () => services.provide('log', log));
    },
  });
}

async function serverWith(t: TestContext, config: Readonly<Record<string, unknown>>, lines: [string, unknown][] = []) {
  const { url, key, stop } = await startSrv({ plugins: ['notices'], config, inline: [{ plugin: listeningLog(lines) }] });
  t.after(stop);
  const client = createClient({ endpointUrl: url, ...key });
  t.after(() => client.close());
  return async () => (await client.getConfig({})).version_config;
}

test('newer releases and alerts are shown to clients and logged', async t => {
  const { url, asked } = await neighbour(t, {
    '/release': { tag_name: 'v99.1.0', html_url: 'https://example.com/99.1.0' },
    '/audit': { upgrade_url: 'https://example.com/upgrade', alerts: [alert, { nonsense: 1 }, null] },
  });
  const lines: [string, unknown][] = [];
  const versionConfig = await serverWith(
    t,
    { 'security.latest_version_url': `${url}/release`, 'security.audit_check_url': `${url}/audit?x=y` },
    lines,
  );
  let shown = await versionConfig();
  while (!shown?.alerts || !shown.latest_version) {
    await sleep(10);
    shown = await versionConfig();
  }
  const { version, version_context, ...rest } = shown;
  assert.deepEqual(rest, {
    latest_version: '99.1.0',
    upgrade_recommended: true,
    upgrade_url: 'https://example.com/upgrade',
    alerts: [alert],
  });
  const audit = new URL(asked.find(path => path.startsWith('/audit')) ?? '', url).searchParams;
  assert.deepEqual([audit.get('x'), audit.get('version')], ['y', version]);
  assert.match(audit.get('installation_id') ?? '', /^[0-9a-f-]{36}$/);
  const alerts = lines.filter(([message]) => message === 'security alert about this release');
  assert.deepEqual(
    alerts.map(([, fields]) => (fields as { id: string }).id),
    ['ADV-1'],
  );
});

test('reports only its own version without addresses, switched off, or without a sensible answer', async t => {
  const { url, asked } = await neighbour(t, { '/broken': 'not json', '/refused': 500, '/list': [1], '/huge': ' '.repeat(2 << 20) });
  const quiet = [{}, { 'security.latest_version_url': `${url}/off`, 'security.check_latest_version': false }];
  for (const config of quiet) {
    const versionConfig = await serverWith(t, config);
    assert.deepEqual(Object.keys((await versionConfig()) ?? {}), ['version', 'version_context']);
  }
  assert.equal(asked.length, 0);
  for (const path of ['broken', 'refused', 'huge']) {
    const versionConfig = await serverWith(t, {
      'security.latest_version_url': `${url}/${path}`,
      'security.audit_check_url': `${url}/${path}`,
    });
    while (asked.filter(asking => asking.startsWith(`/${path}`)).length < 2) await sleep(10);
    await sleep(20);
    assert.deepEqual(Object.keys((await versionConfig()) ?? {}), ['version', 'version_context']);
  }
});

test('rejects an invalid address at start', async () => {
  for (const name of ['security.latest_version_url', 'security.audit_check_url'])
    for (const address of ['releases', 'https://user:pass@example.com/'])
      await assert.rejects(startSrv({ plugins: ['notices'], config: { [name]: address } }), (error: Error) => {
        assert.match(error.message, /is not an address; write http/);
        assert.ok(!error.message.includes('pass@'));
        return true;
      });
});

test('versions are compared as numbers', () => {
  for (const [newer, older] of [
    ['1.10.0', '1.9.3'],
    ['v2.0.0', '1.99.99'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.0-rc.10', '1.0.0-rc.9'],
  ] as const)
    assert.deepEqual([isNewer(newer, older), isNewer(older, newer)], [true, false], newer);
  for (const [a, b] of [
    ['1.0.0', 'v1.0.0'],
    ['1.0.0', 'dev'],
    ['latest', '1.0.0'],
  ] as const)
    assert.equal(isNewer(a, b), false);
});
