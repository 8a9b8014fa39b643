/** The plugin: sends requests only to the configured URLs. */
import { readFileSync } from 'node:fs';
import { definePlugin, messageOf } from '@srv/kernel';
import section from '../config.js';
import { checkAudit, logAlerts } from './audit-check.js';
import { findLatestRelease } from './latest-release.js';
import { isNewer } from './newer.js';
import { Repeated } from './repeated.js';
import type { ReleaseFacts } from '@srv/kernel';
import type { AuditResponse } from './audit-check.js';
import type { LatestRelease } from './latest-release.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

export default definePlugin({
  name: 'notices',
  apply(kernel) {
    const { hooks } = kernel;
    const checks: Repeated[] = [];
    let latest: LatestRelease | undefined;
    let audit: AuditResponse | undefined;
    hooks.release.tap('notices', facts => completed(facts, latest, audit));
    hooks.ready.tap('notices', () => {
      const config = kernel.config.values(section.keys);
      const log = kernel.log;
      const installationId = kernel.services.find('identity')?.installationId;
      const { 'security.latest_version_url': feed, 'security.audit_check_url': url } = config;
      /** Without an answer, what was known before stays. */
      const every = (interval: number, what: string, work: (stop: AbortSignal) => Promise<void>): void => {
        checks.push(
          new Repeated(interval, stop =>
            work(stop).catch((error: unknown) => {
              if (!stop.aborted) log.debug({ error: messageOf(error) }, what);
            }),
          ),
        );
      };
      if (feed !== '' && config['security.check_latest_version']) {
        every(config['security.check_latest_version_cache'], 'check for newer releases failed', async stop => {
          latest = await findLatestRelease(feed, stop);
        });
      }
      if (url !== '') {
        every(config['security.audit_check_interval'], 'security audit check failed', async stop => {
          audit = await checkAudit({ url, version, installationId }, stop);
          logAlerts(audit, log);
        });
      }
    });
    hooks.stop.tapPromise('notices', async () => {
      await Promise.all(checks.map(check => check.stop()));
    });
  },
});

function completed(facts: ReleaseFacts, latest: LatestRelease | undefined, audit: AuditResponse | undefined): ReleaseFacts {
  const newer = latest !== undefined && isNewer(latest.version, facts.version);
  const upgradeUrl = audit?.upgradeUrl ?? (newer ? latest.url : undefined);
  return {
    ...facts,
    ...(latest ? { latestVersion: latest.version } : {}),
    ...(latest || audit ? { upgradeRecommended: newer || audit?.upgradeUrl !== undefined } : {}),
    ...(upgradeUrl === undefined ? {} : { upgradeUrl }),
    ...(audit && audit.alerts.length > 0 ? { alerts: audit.alerts } : {}),
  };
}
