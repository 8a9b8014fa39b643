/** The plugin: answers who is asking and whether they may. */
import { SrvError, definePlugin } from '@srv/kernel';
import { unmeasured } from '@srv/metrics/contract';
import section from '../config.js';
import { equalSecrets } from './access-keys.js';
import { AuthMeter } from './auth-meter.js';
import { describeRecord } from './describe-record.js';
import { Directory } from './directory/directory.js';
import { Installation } from './installation.js';
import { decide } from './policy/evaluate.js';
import { createAuthService } from './service.js';
import { createPresets, setUp } from './setup.js';
import { authPartition, basicPartition, schemaVersion } from './storage/keys.js';
import { checkSchemaVersion } from './storage/schema-version.js';
import { createSecretBox } from './storage/secrets.js';
import { verifyToken } from './token.js';
import type { AuthorizationRequest, Credentials, Decision, Kernel, User } from '@srv/kernel';
import type { AuthMode } from '../contract.js';

export default definePlugin({
  name: 'auth',
  apply(kernel) {
    let directory: Directory | undefined;
    let mode: AuthMode = 'none';
    let meter = new AuthMeter(unmeasured);
    let secretKey = '';

    kernel.hooks.describeRecord.tap('auth', describeRecord);
    kernel.hooks.partitions.tap('auth', (_kv, found) => [authPartition, basicPartition, schemaVersion.partition].forEach(found));
    kernel.hooks.start.tapPromise('auth', async () => {
      const config = kernel.config.values(section.keys);
      meter = new AuthMeter(kernel.services.find('metrics') ?? unmeasured);
      mode = config['auth.ui_config.rbac'] as AuthMode;
      secretKey = config['auth.encrypt.secret_key'];
      if (mode === 'external') {
        throw new SrvError(
          'config',
          'auth.ui_config.rbac: external needs a plugin that talks to an authorization service, and none is enabled; use none, simplified or internal',
        );
      }
      const kv = kernel.services.get('kv');
      await checkSchemaVersion(kv);
      const cache = {
        enabled: config['auth.cache.enabled'],
        size: config['auth.cache.size'],
        ttl: config['auth.cache.ttl'],
        jitter: config['auth.cache.jitter'],
      };
      directory = new Directory({ kv, box: createSecretBox(secretKey), mode, cache });
      await directory.credentials.indexOwners();
      const installation = new Installation(kv, mode);
      const login = {
        cookieDomain: config['auth.cookie_domain'],
        usePlaceholders: config['auth.ui_config.use_login_placeholders'],
        logoutRedirectUrl: config['auth.logout_redirect_url'],
        duration: config['auth.login_duration'],
        maxDuration: config['auth.login_max_duration'],
      };
      await createFirstUser(kernel, directory, installation, mode);
      kernel.services.provide(
        'auth',
        meter.measured(createAuthService({ directory, installation, installationId: await installation.id(), mode, login, secretKey })),
      );
    });

    kernel.hooks.authenticate.tapPromise('auth', async (credentials: Credentials): Promise<User | undefined> => {
      if (!directory || credentials.kind === 'headers') return undefined;
      const known = directory;
      return meter.run('authenticate', () => authenticate(credentials, known, secretKey));
    });

    kernel.hooks.authorize.tapPromise('auth', async (request: AuthorizationRequest): Promise<Decision | undefined> => {
      if (!directory) return undefined;
      if (mode === 'none') return { allowed: true };
      const known = directory;
      return meter.run('authorize', () => authorize(request, known));
    });
  },
});

async function authenticate(
  credentials: Exclude<Credentials, { kind: 'headers' }>,
  directory: Directory,
  secretKey: string,
): Promise<User | undefined> {
  if (credentials.kind === 'token') {
    const username = verifyToken(credentials.token, secretKey, new Date());
    return username === undefined ? undefined : directory.findUser(username);
  }
  const known = await directory.findAccessKey(credentials.accessKeyId);
  const right = equalSecrets(known?.secretAccessKey ?? '', credentials.secretAccessKey);
  return known && right ? directory.findUser(known.username) : undefined;
}

async function authorize(request: AuthorizationRequest, directory: Directory): Promise<Decision> {
  const { username } = request.user;
  const facts = {
    // Asked for when a condition looks at it.
    get SourceIp(): string | undefined {
      return request.sourceIp;
    },
  };
  return decide(request.permission, await directory.effectivePolicies(username), { username, facts });
}

/** `installation.*`: an administrator without a visit to the setup page. Used once, and only with an embedded database. */
async function createFirstUser(kernel: Kernel, directory: Directory, installation: Installation, mode: AuthMode): Promise<void> {
  const config = kernel.config.values(section.keys);
  const username = config['installation.user_name'];
  const accessKeyId = config['installation.access_key_id'];
  const secretAccessKey = config['installation.secret_access_key'];
  if ((await installation.state()).initialized) {
    // Set up in another mode before: this mode's groups and policies are still missing.
    if (await installation.hasPresets()) return;
    await createPresets(directory, mode);
    return installation.markPresets();
  }
  if (!username) return;
  if (!accessKeyId || !secretAccessKey) {
    kernel.log.warn(
      { user: username },
      'no first user created: installation.user_name needs installation.access_key_id and installation.secret_access_key',
    );
  } else if (kernel.services.get('kv').type !== 'local') {
    kernel.log.warn({ user: username }, 'no first user created: installation.user_name works only when database.type is local');
  } else {
    await setUp(directory, installation, mode, { username, key: { accessKeyId, secretAccessKey } });
    kernel.log.info({ user: username }, 'first administrator created');
  }
}
