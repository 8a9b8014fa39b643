/** The plugin: keeps pull requests, enforces approvals, announces changes, and adds the operations. */
import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import section from '../config.js';
import operations from '../operations/index.js';
import { Announcements } from './announcements.js';
import { isStillAllowed } from './approvals.js';
import { NoticeWebhook, usualWaits } from './notice-webhook.js';
import { Notices } from './notices.js';
import { createPullRequests, describeRecord, indexPartition, removeIndex } from './pull-requests.js';
import type {} from '@srv/actions/contract';
import type {} from '@srv/auth/contract';
import type { Logger, PluginKernel, User } from '@srv/kernel';

export default definePlugin({
  name: 'pulls',
  apply(kernel) {
    const { hooks, services } = kernel;
    let running: Running | undefined;
    hooks.operations.tap('pulls', table => table.add('pulls', operations));
    hooks.describeRecord.tap('pulls', describeRecord);
    hooks.partitions.tapPromise('pulls', async (_kv, found) => found(indexPartition));
    hooks.repositoryDeleted.tapPromise('pulls', repository => removeIndex(services.get('kv'), repository));
    hooks.guardBranch.tapPromise('pulls', async change => running?.guard(change));
    hooks.start.tap('pulls', () => {
      running = start(kernel);
    });
    hooks.stop.tapPromise('pulls', async () => {
      running?.webhook?.stop();
      await running?.announcements.drain();
    });
  },
});

interface Running {
  readonly guard: ReturnType<typeof createPullRequests>['guard'];
  readonly announcements: Announcements;
  readonly webhook: NoticeWebhook | undefined;
}

function start(kernel: PluginKernel): Running {
  const { hooks, services, log } = kernel;
  const engine = services.get('engine');
  const config = valuesOf(kernel);
  const webhook = webhookOf(config, log);
  const notices = new Notices({
    log,
    findUser: name => userNamed(kernel, name),
    authorize: async (user, permission) => (await services.get('identity').authorize({ user, permission })).allowed,
    reviewers: (repository, pull) => made.reviewers(repository, pull),
    thread: (repository, comment) => made.thread(repository, comment),
    send: config['pulls.notices.email'] ? message => hooks.email.promise(message) : undefined,
    webhook,
  });
  const isNoticed = config['pulls.notices.email'] || webhook !== undefined;
  const announcements = new Announcements({ hooks, engine, log, notices: isNoticed ? notices : undefined });
  const made = createPullRequests({
    kv: services.get('kv'),
    engine,
    log,
    metrics: services.find('metrics') ?? noopMetrics,
    protection: () => services.find('branchProtection'),
    actions: () => services.find('actions'),
    findUser: async username => services.find('auth')?.getUser(username),
    announce: announcement => announcements.announce(announcement),
    mayApprove(approval, repository) {
      const [auth, identity] = [services.find('auth'), services.get('identity')];
      return isStillAllowed(approval, repository, {
        findUser: auth && (username => auth.getUser(username)),
        authorize: request => identity.authorize(request),
      });
    },
  });
  services.provide('pulls', made.service);
  return { guard: made.guard, announcements, webhook };
}

function webhookOf(config: ReturnType<typeof valuesOf>, log: Logger): NoticeWebhook | undefined {
  const {
    'pulls.notices.webhook_url': url,
    'pulls.notices.webhook_secret': secret = '',
    'pulls.notices.webhook_timeout': timeout,
  } = config;
  return url ? new NoticeWebhook({ url, secret, timeout, waits: usualWaits, log }) : undefined;
}

const valuesOf = (kernel: PluginKernel) => kernel.config.values(section.keys);

/** By name, or by the address that stands in commits for it. */
async function userNamed({ services }: PluginKernel, name: string): Promise<User | undefined> {
  const account = await services.find('accounts')?.findByEmail(name);
  return services.find('auth')?.getUser(account?.username ?? name);
}
