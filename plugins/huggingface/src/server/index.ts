/** The plugin: takes requests below `/hf`. What answers them is loaded with the first one. */
import { definePlugin } from '@srv/kernel';
import { OperationList } from '@srv/lib-api';
import section from '../config.js';
import { HubError, failed } from './errors.js';
import { partialKind } from './lfs/partial-files.js';
import { uploadKind } from './lfs/record.js';
import { describeWaiting } from './waiting.js';
import { xorbKind } from './xet/record.js';
import type {} from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type { RawRequest } from '@srv/kernel';
import type {} from '@srv/lib-stores/block';
import type { Door } from './door.js';

export default definePlugin({
  name: 'huggingface',
  apply(kernel) {
    const { services, hooks } = kernel;
    let enabled = false;
    let door: Promise<Door> | undefined;
    const open = async (): Promise<Door> => {
      const config = kernel.config.values(section.keys);
      const { Door } = await import('./door.js');
      const table = new OperationList();
      hooks.operations.call(table);
      return new Door({
        services,
        engine: services.get('engine'),
        identity: services.get('identity'),
        block: services.get('block'),
        kv: services.get('kv'),
        http: services.get('http'),
        log: kernel.log,
        operations: table.list(),
        count: activity => hooks.activity.call(activity),
        namespace: config['huggingface.namespace'],
        largeFiles: config['huggingface.large_files'],
      });
    };
    const serve = (raw: RawRequest): Promise<void> => {
      door ??= open();
      const opening = door;
      return services.get('http').serve(raw, {
        service: 'huggingface',
        handle: async exchange => (await opening).handle(exchange),
        failed,
        isRefusal: error => error instanceof HubError,
      });
    };
    hooks.describeRecord.tap(
      'huggingface',
      (partition, entry) =>
        describeWaiting(uploadKind, partition, entry) ??
        describeWaiting(partialKind, partition, entry) ??
        describeWaiting(xorbKind, partition, entry),
    );
    hooks.stop.tapPromise('huggingface', async () => (await door)?.close());
    hooks.start.tapPromise('huggingface', async () => {
      enabled = kernel.config.values(section.keys)['features.huggingface'];
    });
    hooks.rawRequest.tap('huggingface', raw => {
      if (!enabled || !(raw.request.url ?? '').startsWith('/hf/')) return undefined;
      void serve(raw);
      return true;
    });
  },
});
