/** The plugin: keeps pull requests, enforces approvals, and adds the operations. */
import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import operations from '../operations/index.js';
import { isStillAllowed } from './approvals.js';
import { createPullRequests, describeRecord, indexPartition, removeIndex } from './pull-requests.js';
import type {} from '@srv/auth/contract';

export default definePlugin({
  name: 'pulls',
  apply({ hooks, services, log }) {
    let guard: ReturnType<typeof createPullRequests>['guard'] | undefined;
    hooks.operations.tap('pulls', table => table.add('pulls', operations));
    hooks.describeRecord.tap('pulls', describeRecord);
    hooks.partitions.tapPromise('pulls', async (_kv, found) => found(indexPartition));
    hooks.repositoryDeleted.tapPromise('pulls', repository => removeIndex(services.get('kv'), repository));
    hooks.guardBranch.tapPromise('pulls', async change => guard?.(change));
    hooks.start.tapPromise('pulls', async () => {
      const [kv, engine] = [services.get('kv'), services.get('engine')];
      const made = createPullRequests({
        kv,
        engine,
        log,
        metrics: services.find('metrics') ?? noopMetrics,
        protection: () => services.find('branchProtection'),
        mayApprove(approval, repository) {
          const [auth, identity] = [services.find('auth'), services.get('identity')];
          return isStillAllowed(approval, repository, {
            findUser: auth && (username => auth.getUser(username)),
            authorize: request => identity.authorize(request),
          });
        },
      });
      ({ guard } = made);
      services.provide('pulls', made.service);
    });
  },
});
