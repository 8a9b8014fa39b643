/** The plugin: offers the built-in directory of users as the identity service. */

import { definePlugin, messageOf } from '@srv/kernel';
import { sharedCache } from '@srv/kernel/cache';
import { noopMetrics } from '@srv/kernel/metrics';
import { LoginLimits, Sessions, SignIns, administrators, createIdentity, endLogins } from '@srv/lib-auth';
import section from '../config.js';
import operations from '../operations/index.js';
import { createAccountService } from './accounts.js';
import { setup, superuser } from './administrators.js';
import { AuthMeter } from './auth-meter.js';
import { describeRecord } from './describe-record.js';
import { Directory } from './directory/directory.js';
import { Installation } from './installation.js';
import { createAuthService } from './service.js';
import { createPresets, hasAdministrator, setUpConfigured, withoutAdministrators } from './setup.js';
import { authPartition, basicPartition, schemaVersion } from './storage/keys.js';
import { checkSchemaVersion } from './storage/schema-version.js';
import { createSecretBox } from './storage/secrets.js';
import { createTerminalLogins } from './terminal-logins.js';
import type { Identity, KvStore, PluginKernel } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { AuthMode, IdentitySettings } from '../contract.js';
import type { Credentials } from './directory/credentials.js';

type BuiltInMode = Exclude<AuthMode, 'external'>;
/** Values of `auth.ui_config.rbac` that this plugin serves. */
const modes: readonly BuiltInMode[] = ['none', 'simplified', 'internal'];

export default definePlugin({
  name: 'auth',
  apply(kernel) {
    kernel.hooks.configured.tapPromise('auth', async () => kernel.services.provide('identitySettings', settingsOf(kernel)));
    kernel.hooks.describeRecord.tap('auth', describeRecord);
    kernel.hooks.operations.tap('auth', table => table.add('auth', operations));
    kernel.hooks.partitions.tap('auth', (_kv, found) => [authPartition, basicPartition, schemaVersion.partition].forEach(found));
    kernel.hooks.serverCommands.tap('auth', registry => {
      for (const command of [setup, superuser]) registry.add(command, 'auth');
    });
    kernel.hooks.start.tapPromise('auth', async () => {
      const { services } = kernel;
      const [auth, accounts] = [services.find('auth'), services.find('accounts')];
      if (auth && accounts)
        services.provide(
          'terminalLogins',
          createTerminalLogins({ kv: services.get('kv'), auth, accounts, secretKey: services.get('identitySettings').secretKey }),
        );
    });
    for (const mode of modes) kernel.hooks.openIdentity.for(mode).tapPromise('auth', () => openDirectory(kernel, mode));
  },
});

function settingsOf({ config }: PluginKernel): IdentitySettings {
  const found = config.values(section.keys);
  return {
    secretKey: found['auth.encrypt.secret_key'],
    cache: {
      enabled: found['auth.cache.enabled'],
      size: found['auth.cache.size'],
      ttl: found['auth.cache.ttl'],
      jitter: found['auth.cache.jitter'],
    },
    login: {
      cookieDomain: found['auth.cookie_domain'],
      usePlaceholders: found['auth.ui_config.use_login_placeholders'],
      logoutRedirectUrl: found['auth.logout_redirect_url'],
      page: {
        loginUrl: found['auth.ui_config.login_url'] ?? '',
        logoutUrl: found['auth.ui_config.logout_url'] ?? '',
        failedMessage: found['auth.ui_config.login_failed_message'],
        fallbackUrl: found['auth.ui_config.fallback_login_url'] ?? '',
        fallbackLabel: found['auth.ui_config.fallback_login_label'] ?? '',
        cookieNames: found['auth.ui_config.login_cookie_names'],
      },
      duration: found['auth.login_duration'],
      maxDuration: found['auth.login_max_duration'],
    },
  };
}

/** Opens users and policies, provides the service `auth` and answers as the identity service. */
async function openDirectory(kernel: PluginKernel, mode: BuiltInMode): Promise<Identity> {
  const { secretKey, cache, login } = kernel.services.get('identitySettings');
  const meter = new AuthMeter(kernel.services.find('metrics') ?? noopMetrics);
  const kv = kernel.services.get('kv');
  await checkSchemaVersion(kv);
  const peers = kernel.services.find('peers');
  const cacheOf = (name: string): CacheOptions => sharedCache(cache, peers, name);
  const directory = new Directory({ kv, box: createSecretBox(secretKey), mode, cacheOf });
  await indexOwners(kernel, directory.credentials);
  const installation = new Installation(kv, mode);
  await createFirstUser(kernel, directory, installation, mode);
  if (mode !== 'none') await warnWithoutAdministrators(kernel, directory, installation);
  const installationId = await installation.id();
  const { duration, maxDuration } = login;
  const sessions = new Sessions({
    kv,
    partition: authPartition,
    directory,
    secretKey,
    cache: cacheOf('session epochs'),
    duration,
    maxDuration,
  });
  const signIns = new SignIns(directory, new LoginLimits(), cacheOf('sign-ins'), add => kernel.hooks.signIn.call(add));
  const timed = meter.run.bind(meter);
  const identity = createIdentity({ directory, sessions, signIns, rbac: mode, session: login, installationId, timed });
  const { visibility } = identity;
  const service = createAuthService({ directory, installation, installationId, mode, login, sessions, signIns, visibility });
  kernel.services.provide('auth', meter.measured(service));
  kernel.services.provide('provisioning', {
    async changeAccount(username, change) {
      const reassign = () => directory.reassignUser(username, change);
      if (!change.inactive) return reassign();
      await directory.users.get(username);
      await endLogins({ sessions, signIns }, username, reassign);
    },
  });
  kernel.services.provide('accounts', createAccountService({ kv, directory, sessions, signIns, mode, secretKey }));
  return identity;
}

/** Finds the access keys that other programs wrote: before the first request where it was never done, else meanwhile. */
async function indexOwners({ hooks, log }: PluginKernel, credentials: Credentials): Promise<void> {
  const ended = new AbortController();
  if (!(await credentials.hasOwners())) return credentials.indexOwners(ended.signal);
  const indexing = credentials.indexOwners(ended.signal).catch((error: unknown) => {
    log.warn({ error: messageOf(error) }, 'access keys that other programs wrote are not known before the next start');
  });
  hooks.stop.tapPromise('auth', async () => {
    ended.abort();
    await indexing;
  });
}

/** `installation.*`: an administrator without a visit to the setup page. Used once, and only with an embedded database. */
async function createFirstUser(kernel: PluginKernel, directory: Directory, installation: Installation, mode: AuthMode): Promise<void> {
  const config = kernel.config.values(section.keys);
  const username = config['installation.user_name'];
  const accessKeyId = config['installation.access_key_id'];
  const secretAccessKey = config['installation.secret_access_key'];
  if ((await installation.state()).initialized) {
    // Set up in another mode before: this mode's groups and policies are still missing.
    if (await installation.hasPresets()) return;
    await createPresets(directory, mode, false);
    return installation.markPresets();
  }
  if (!username) return;
  if (!accessKeyId || !secretAccessKey) {
    kernel.log.warn(
      { user: username },
      'no first user created: installation.user_name needs installation.access_key_id and installation.secret_access_key',
    );
  } else if (!isEmbedded(kernel.services.get('kv'))) {
    kernel.log.warn({ user: username }, 'no first user created: installation.user_name works only when database.type is local');
  } else {
    await setUpConfigured(directory, installation, mode, { username, key: { accessKeyId, secretAccessKey } });
    kernel.log.info({ user: username }, 'first administrator created');
  }
}

/** As after a setup in mode `none`, whose user is unknown in other modes. */
async function warnWithoutAdministrators({ log }: PluginKernel, directory: Directory, installation: Installation): Promise<void> {
  const { initialized } = await installation.state();
  if (initialized && !(await hasAdministrator(directory))) log.warn({ group: administrators }, withoutAdministrators);
}

/** Whether the database is this installation's alone. The workers of one server share an embedded one. */
function isEmbedded({ isShared, isSharedWithPeers = false }: KvStore): boolean {
  return !isShared || isSharedWithPeers;
}
