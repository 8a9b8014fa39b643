/** A source context over a few keys, in a temporary folder. */

import { key, keyNames } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import type { ConfigKeys, SourceContext } from '@srv/kernel';

export const someKeys = {
  'logging.level': key.text({ default: 'INFO', meaning: 'level' }),
  'logging.output': key.list({ default: ['-'], meaning: 'outputs' }),
  listen_address: key.text({ default: '0.0.0.0:8000', meaning: 'address' }),
  'database.type': key.text({ meaning: 'type' }),
  'database.local.path': key.text({ default: '~/srv/metadata', meaning: 'path' }),
  'blockstore.type': key.text({ meaning: 'type' }),
  'blockstore.signing.secret_key': key.text({ secret: true, meaning: 'secret' }),
  'auth.encrypt.secret_key': key.text({ secret: true, meaning: 'secret' }),
  'auth.claims': key.map({ meaning: 'claims' }),
  'installation.user_name': key.text({ meaning: 'user' }),
  'installation.access_key_id': key.text({ meaning: 'key' }),
  'installation.secret_access_key': key.text({ secret: true, meaning: 'secret' }),
  'cache.reposiory.ttl': key.duration({ default: '5s', aliases: ['cache.repository.ttl'], meaning: 'ttl' }),
} satisfies ConfigKeys;

export function contextOf(given: Partial<SourceContext> = {}): SourceContext {
  const folder = given.home ?? scratchFolder();
  const keys = given.keys ?? someKeys;
  return { keys, names: keyNames(keys), env: {}, flags: {}, cwd: folder, home: folder, ...given };
}
