/** Facts about this installation that receivers of statistics know; names are a contract with them. */
import { existsSync } from 'node:fs';
import type { Services } from '@srv/kernel';

export function installationFacts(version: string, { kv, block }: Pick<Services, 'kv' | 'block'>): Record<string, string> {
  return {
    lakefs_version: version,
    lakefs_kv_type: kv.type,
    blockstore_type: block.type,
    blockstore_count: '1',
    node_version: process.version,
    architecture: process.arch,
    os: process.platform,
    is_k8s: String(process.env['KUBERNETES_SERVICE_HOST'] !== undefined),
    is_docker: String(existsSync('/.dockerenv')),
  };
}
