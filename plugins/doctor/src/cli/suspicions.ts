/** What is odd about a server that answers. */
import { formatDuration } from '@srv/kernel';
import type {} from '@srv/engine/operations';
import type { Client } from '@srv/lib-api/client';

/** Milliseconds: signatures of S3 requests are refused beyond it. */
const toleratedSkew = 5 * 60_000;

/** A sentence when the clocks of server and client are far apart. @param date header of an answer that has just come. */
export function clockSkew(date: string | undefined, now = Date.now()): readonly string[] {
  const skew = date === undefined ? Number.NaN : now - Date.parse(date);
  if (Number.isNaN(skew) || Math.abs(skew) <= toleratedSkew) return [];
  const off = formatDuration(Math.round(Math.abs(skew) / 1000) * 1000);
  return [
    `The clock of this machine is ${off} ${skew > 0 ? 'ahead of' : 'behind'} the server's: signed requests fail. Set both clocks by NTP.`,
  ];
}

/** A sentence for a newer release and for each security alert. */
export async function releaseNotices(api: Client): Promise<readonly string[]> {
  const { version_config: release } = await api.getConfig({});
  if (!release) return [];
  const { version = '', latest_version: latest, upgrade_url: url, alerts = [] } = release;
  const where = url === undefined ? '' : ` (${url})`;
  return [
    ...(release.upgrade_recommended
      ? [`The server runs ${version}; an upgrade${latest === undefined ? '' : ` to ${latest}`} is recommended${where}.`]
      : []),
    ...alerts.map(({ id, description }) => `Security alert ${id} about the server's release: ${description}`),
  ];
}
