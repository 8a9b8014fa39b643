/** Rows of URLs that the server signs for its block store. */

import { key } from '../api-load.js';
import { timeOf } from '../benchmark.js';
import { upload } from './reads-and-writes.js';
import { repository } from './work.js';
import type { Side } from './side.js';
import type { Scale, Work } from './work.js';

/** Objects of the listing; not more than a page holds. */
const listed = 1000;

/**
 * Files have no such URLs: a second server of each side has the S3 gateway of the first as its block store, which is asked
 * to begin an upload, and for nothing else that is timed.
 */
export function preSigning(scale: Scale): readonly Work[] {
  const signers = new Map<Side, Promise<Side>>();
  const signerOf = (side: Side): Promise<Side> => {
    const known = signers.get(side) ?? startSigner(side);
    signers.set(side, known);
    return known;
  };
  const row = (what: string, request: (signer: Side, round: number) => Promise<unknown>): Work => ({
    what,
    unit: 'ms',
    rounds: scale.rounds + 2,
    measure: async (side, round) => {
      const signer = await signerOf(side);
      return timeOf(() => request(signer, round));
    },
  });
  return [
    row(`pre-sign ${scale.signedParts} parts`, (signer, round) =>
      signer.call('POST', `${repository}/branches/main/staging/pmpu?path=large-${round}&parts=${scale.signedParts}`),
    ),
    row(`list ${listed} with pre-signed URLs`, signer =>
      signer.call('GET', `${repository}/refs/main/objects/ls?amount=${listed}&presign=true`),
    ),
  ];
}

async function startSigner(side: Side): Promise<Side> {
  const signer = await side.beside('signing', home => ({
    SRV_DATABASE_TYPE: 'local',
    SRV_DATABASE_LOCAL_PATH: `${home}/records`,
    SRV_BLOCKSTORE_TYPE: 's3',
    SRV_BLOCKSTORE_S3_ENDPOINT: `http://127.0.0.1:${side.port}`,
    SRV_BLOCKSTORE_S3_FORCE_PATH_STYLE: 'true',
    SRV_BLOCKSTORE_S3_DISCOVER_BUCKET_REGION: 'false',
    SRV_BLOCKSTORE_S3_CREDENTIALS_ACCESS_KEY_ID: key.id,
    SRV_BLOCKSTORE_S3_CREDENTIALS_SECRET_ACCESS_KEY: key.secret,
    SRV_BLOCKSTORE_S3_DISABLE_PRE_SIGNED_MULTIPART: 'false',
  }));
  await signer.call('POST', '/repositories', { name: 'bench', storage_namespace: 's3://bench/objects/signed', default_branch: 'main' });
  const paths = Array.from({ length: listed }, (_, i) => `listed/${String(i).padStart(4, '0')}`);
  await upload(signer, 'main', paths);
  return signer;
}
