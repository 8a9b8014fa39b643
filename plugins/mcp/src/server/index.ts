/** The plugin: takes requests for `/mcp`. What answers them is loaded with the first one. */
import { definePlugin } from '@srv/kernel';
import { OperationList } from '@srv/lib-api';
import section from '../config.js';
import { describeOwnBranch } from './own-branch-record.js';
import { failed } from './protocol/errors.js';
import type {} from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type { RawRequest } from '@srv/kernel';
import type { Door } from './door.js';

export default definePlugin({
  name: 'mcp',
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
        kv: services.get('kv'),
        http: services.get('http'),
        log: kernel.log,
        operations: table.list(),
        count: activity => hooks.activity.call(activity),
        version: services.find('api')?.version ?? '',
        settings: {
          write: config['mcp.write'],
          maxBytes: config['mcp.max_bytes'],
          origins: config['mcp.allowed_origins'],
          hosts: config['mcp.allowed_hosts'],
        },
      });
    };
    const serve = (raw: RawRequest): Promise<void> => {
      door ??= open();
      const opening = door;
      return services.get('http').serve(raw, { service: 'mcp', handle: async exchange => (await opening).handle(exchange), failed });
    };
    hooks.describeRecord.tap('mcp', describeOwnBranch);
    hooks.start.tapPromise('mcp', async () => {
      enabled = kernel.config.values(section.keys)['features.mcp'];
    });
    hooks.rawRequest.tap('mcp', raw => {
      const { url = '' } = raw.request;
      if (!enabled || !(url === '/mcp' || url.startsWith('/mcp?'))) return undefined;
      void serve(raw);
      return true;
    });
  },
});
