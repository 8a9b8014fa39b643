/** Asks for security alerts about the release that runs. */

import { ask } from './ask.js';
import type { Logger, SecurityAlert } from '@srv/kernel';

/** Milliseconds. */
const timeout = 30_000;

export interface AuditResponse {
  readonly upgradeUrl?: string;
  readonly alerts: readonly SecurityAlert[];
}

interface AuditQuestion {
  readonly url: string;
  readonly version: string;
  readonly installationId: string | undefined;
}

/** @throws SrvError or a network error without a response. */
export async function checkAudit({ url, version, installationId = '' }: AuditQuestion, stop: AbortSignal): Promise<AuditResponse> {
  const address = new URL(url);
  address.searchParams.set('version', version);
  address.searchParams.set('installation_id', installationId);
  const { upgrade_url: upgradeUrl, alerts } = await ask(address, timeout, stop);
  return {
    ...(typeof upgradeUrl === 'string' && upgradeUrl !== '' ? { upgradeUrl } : {}),
    alerts: Array.isArray(alerts) ? alerts.flatMap(alertOf) : [],
  };
}

/** One line per alert. */
export function logAlerts({ alerts, upgradeUrl }: AuditResponse, log: Logger): void {
  for (const { id, description, affectedVersions, patchedVersions } of alerts) {
    log.warn(
      { id, description, affected_versions: affectedVersions, patched_versions: patchedVersions, upgrade_url: upgradeUrl },
      'security alert about this release',
    );
  }
}

function alertOf(found: unknown): readonly SecurityAlert[] {
  if (typeof found !== 'object' || found === null) return [];
  const { id, description, affected_versions: affected, patched_versions: patched } = found as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof description !== 'string') return [];
  return [
    {
      id: String(id ?? ''),
      description: String(description ?? ''),
      affectedVersions: typeof affected === 'string' ? affected : undefined,
      patchedVersions: typeof patched === 'string' ? patched : undefined,
    },
  ];
}
