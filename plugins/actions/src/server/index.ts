import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { DailyCleaner, xid } from '@srv/lib-records';
import { removeBelow } from '@srv/lib-stores/kv';
import section from '../config.js';
import { eventTypes } from '../files/event-types.js';
import { hookTypesOf } from '../hook-types.js';
import operations from '../operations.js';
import { ActionSource } from './action-source.js';
import { describeRecord } from './describe-record.js';
import { HookMeters } from './meters.js';
import { Orphans } from './orphans.js';
import { removeOldRuns } from './retention.js';
import { partition, repositoryKeys } from './run-keys.js';
import { RunStore } from './run-store.js';
import { Runner } from './runner.js';
import { RunningRuns } from './running-runs.js';
import { RunService } from './service.js';
import { YamlReader } from './yaml-reader.js';
import type { Repository } from '@srv/engine/contract';
import type { EventDetails, EventRecord, Hooks, PluginKernel } from '@srv/kernel';

export default definePlugin({
  name: 'actions',
  apply(kernel) {
    let parts: Parts | undefined;
    const { hooks } = kernel;
    hooks.describeRecord.tap('actions', describeRecord);
    hooks.partitions.tap('actions', (_kv, found) => found(partition));
    // A later repository of the name has nothing to do with these runs. Outputs stay with the storage namespace.
    hooks.repositoryDeleted.tapPromise('actions', ({ id }) => removeBelow(kernel.services.get('kv'), partition, repositoryKeys(id)));
    hooks.operations.tap('actions', table => table.add('actions', operations));
    hooks.start.tap('actions', () => {
      const started = start(kernel);
      parts = started;
      // Switched off, the server says that it runs no actions.
      if (!kernel.config.values(section.keys)['actions.enabled']) return;
      for (const type of eventTypes) hooks.event.for(type).tapPromise('actions', event => started.runner.handle(event));
    });
    hooks.ready.tap('actions', () => {
      parts?.orphans.start();
      parts?.cleaner?.start();
    });
    hooks.stop.tapPromise('actions', async () => {
      if (!parts) return;
      parts.cleaner?.stop();
      await parts.runner.drain(kernel.config.values(section.keys)['actions.runs.drain_timeout']);
      await parts.orphans.stop();
      await parts.running.stop();
      await parts.yaml.stop();
    });
  },
});

interface Parts {
  readonly yaml: YamlReader;
  readonly runner: Runner;
  readonly running: RunningRuns;
  readonly orphans: Orphans;
  readonly cleaner: DailyCleaner<Repository> | undefined;
}

function start(kernel: PluginKernel): Parts {
  const { services, config } = kernel;
  const values = config.values(section.keys);
  const log = kernel.log;
  const [kv, engine] = [services.get('kv'), services.get('engine')];
  const hookTypes = hookTypesOf(kernel.hooks);
  const yaml = new YamlReader();
  const store = new RunStore({ kv, block: services.get('block'), engine, folder: engine.tables.prefix });
  const running = new RunningRuns({ kv, log, instance: xid() });
  const runner = new Runner({
    source: new ActionSource({ engine, hookTypes, yaml }),
    store,
    running,
    hookTypes,
    describe: event => detailsOf(kernel.hooks, event),
    environment: { enabled: values['actions.env.enabled'], prefix: values['actions.env.prefix'], variables: process.env },
    services,
    count: activity => kernel.hooks.activity.call(activity),
    meters: new HookMeters(services.find('metrics') ?? noopMetrics),
    log,
    concurrency: values['actions.runs.concurrency'],
  });
  services.provide('actions', new RunService({ engine, store, running, runner, hookTypes, yaml, log }));
  const age = values['actions.runs.retention'];
  const clean = async (repository: Parameters<typeof removeOldRuns>[0]): Promise<void> => {
    await removeOldRuns(repository, store, age);
  };
  const cleaner = age > 0 ? new DailyCleaner({ engine, log, what: 'runs of actions', clean }) : undefined;
  return { yaml, runner, running, orphans: new Orphans({ running, store, log }), cleaner };
}

async function detailsOf({ describeEvent }: Pick<Hooks, 'describeEvent'>, event: EventRecord): Promise<EventDetails> {
  let details: EventDetails = {};
  await describeEvent.promise(event, more => {
    details = { ...details, ...more };
  });
  return details;
}
