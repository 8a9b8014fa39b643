/** The plugin: takes requests below `/dav`. What answers them is loaded with the first one. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import { isDavRequest } from './claim.js';
import { DavError, errorAnswer } from './errors.js';
import { describeLock } from './locks/lock-record.js';
import type {} from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type { RawRequest } from '@srv/kernel';
import type {} from '@srv/lib-stores/block';
import type { Door } from './door.js';

export default definePlugin({
  name: 'webdav',
  apply(kernel) {
    const { services, hooks } = kernel;
    let enabled = false;
    let door: Promise<Door> | undefined;
    const open = async (): Promise<Door> => {
      const config = kernel.config.values(section.keys);
      const { Door } = await import('./door.js');
      return new Door({
        engine: services.get('engine'),
        identity: services.get('identity'),
        block: services.get('block'),
        kv: services.get('kv'),
        log: kernel.log,
        count: activity => hooks.activity.call(activity),
        settings: {
          listTags: config['webdav.list_tags'],
          maxListing: config['webdav.max_listing'],
          ignore: config['webdav.ignore'],
        },
      });
    };
    const serve = (raw: RawRequest): Promise<void> => {
      door ??= open();
      const opening = door;
      return services.get('http').serve(raw, {
        service: 'webdav',
        handle: async exchange => (await opening).handle(exchange),
        failed: errorAnswer,
        isRefusal: error => error instanceof DavError,
      });
    };
    hooks.describeRecord.tap('webdav', describeLock);
    hooks.start.tapPromise('webdav', async () => {
      enabled = kernel.config.values(section.keys)['features.webdav'];
    });
    hooks.stop.tapPromise('webdav', async () => (await door)?.close());
    hooks.rawRequest.tap('webdav', raw => {
      if (!enabled || !isDavRequest(raw.request)) return undefined;
      void serve(raw);
      return true;
    });
  },
});
