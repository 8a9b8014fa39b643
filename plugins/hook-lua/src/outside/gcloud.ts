/** Google Cloud Storage: objects that gcsfuse shows as symbolic links. */
import { Storage } from '@google-cloud/storage';
import type { OutsideService } from './protocol.js';

interface ServiceAccount {
  readonly client_email?: string;
  readonly private_key?: string;
  readonly project_id?: string;
}

/** Name of the metadata in which gcsfuse looks for the target. */
const targetName = 'gcsfuse_symlink_target';

const gcloud: OutsideService = {
  async writeFuseSymlink(input) {
    const account = input.json('credentials') as ServiceAccount;
    if (account.client_email === undefined || account.private_key === undefined)
      throw new Error('the credentials must be the JSON key of a service account, with client_email and private_key');
    const uri = input.text('uri');
    const [, bucket = '', name = ''] = /^gs:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
    if (name === '') throw new Error(`expected a URI gs://bucket/object, got ${JSON.stringify(uri)}`);
    const target = targetOf(input.text('source'), input.optional('from'), input.optional('to'));
    const storage = new Storage({
      credentials: { client_email: account.client_email, private_key: account.private_key },
      ...(account.project_id === undefined ? {} : { projectId: account.project_id }),
    });
    await storage
      .bucket(bucket)
      .file(name)
      .save('', { resumable: false, metadata: { metadata: { [targetName]: target } } });
  },
};

export default gcloud;

/** The source without `from` in front, below `to`. */
export function targetOf(source: string, from: string | undefined, to: string | undefined): string {
  const rest = from !== undefined && source.startsWith(from) ? source.slice(from.length) : source;
  return to === undefined ? rest : `${to.replace(/(?<!\/)\/+$/, '')}/${rest.replace(/^\/+/, '')}`;
}
