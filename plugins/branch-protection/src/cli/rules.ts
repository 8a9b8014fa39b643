/** Branch protection rules as the three commands see them. */
import type { Client } from '@srv/lib-api/client';

interface ProtectionRules {
  readonly patterns: readonly string[];
  /** State of the rules, sent back with a change so that no concurrent change is lost; empty when none were ever set, which is sent back as well. */
  readonly etag: string;
}

export async function readRules(api: Client, repository: string): Promise<ProtectionRules> {
  const { data, headers } = await api.call('getBranchProtectionRules', { repository });
  return { patterns: data.map(({ pattern }) => pattern), etag: headers.etag ?? '' };
}

/** @throws the client's error of status 412 when the rules changed meanwhile. */
export async function writeRules(api: Client, repository: string, { patterns, etag }: ProtectionRules): Promise<void> {
  await api.setBranchProtectionRules({
    repository,
    body: patterns.map(pattern => ({ pattern })),
    'If-Match': etag,
  });
}
