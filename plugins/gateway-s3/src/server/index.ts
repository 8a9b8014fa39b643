/** The plugin: takes S3 requests before any router sees them. */

import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import section from '../config.js';
import { foldersOf, withFolders } from './folders.js';
import { serve } from './gateway.js';
import { GatewayMeter } from './meter.js';
import { refuseUnknownOperations } from './operations/known-names.js';
import { splitUri } from './protocol/address.js';
import { isGatewayRequest, mayBeUploadForm } from './protocol/claim.js';
import { Query } from './protocol/query.js';
import { endAbandoned } from './uploads/abandoned.js';
import { UploadSweeper } from './uploads/sweeper.js';
import { UploadTracker } from './uploads/tracker.js';
import type {} from '@srv/engine/contract';
import type {} from '@srv/http/contract';
import type {} from '@srv/logging/contract';
import type { GatewayParts } from './gateway.js';

export default definePlugin({
  name: 'gateway-s3',
  apply(kernel) {
    let parts: GatewayParts | undefined;
    let sweeper: UploadSweeper | undefined;

    kernel.hooks.partitions.tap('gateway-s3', (_kv, found) => ['multiparts', 'multipart-checksums'].forEach(found));
    kernel.hooks.start.tapPromise('gateway-s3', async () => {
      refuseUnknownOperations(kernel.hooks.gatewayOperation);
      const { services, hooks } = kernel;
      const config = kernel.config.values(section.keys);
      const log = kernel.log;
      const expiry = config['gateways.s3.upload_expiry'];
      const fallback = config['gateways.s3.fallback_url'];
      const uploads = new UploadTracker(services.get('kv'), {
        log,
        endAbandoned: async (upload, claim) =>
          expiry > 0 && endAbandoned({ engine: services.get('engine'), block: services.get('block') }, upload, { limit: expiry, claim }),
      });
      sweeper = new UploadSweeper(signal => uploads.sweep(signal));
      parts = {
        hooks,
        engine: withFolders(services.get('engine'), services.get('block'), foldersOf(hooks)),
        identity: services.get('identity'),
        block: services.get('block'),
        uploads,
        log,
        audit: services.find('audit') ?? ((describe, message) => log.debug(describe(), message)),
        count: activity => hooks.activity.call(activity),
        meter: new GatewayMeter(services.find('metrics') ?? noopMetrics),
        settings: {
          region: config['gateways.s3.region'],
          listTags: config['gateways.s3.list_tags'],
          listUploadsWithRef: config['gateways.s3.list_uploads_with_ref'],
        },
        domains: config['gateways.s3.domain_name'].map(domain => domain.toLowerCase()),
        corsOrigins: config['gateways.s3.cors_allowed_origins'],
        bodyTimeout: config['gateways.s3.body_timeout'],
        verifyUnsupported: config['gateways.s3.verify_unsupported'],
        now: () => new Date(),
        fallback: fallback ? new URL(fallback) : undefined,
      };
    });

    kernel.hooks.ready.tap('gateway-s3', () => sweeper?.start());
    kernel.hooks.stop.tapPromise('gateway-s3', async () => sweeper?.stop());

    kernel.hooks.rawRequest.tap('gateway-s3', raw => {
      const { url = '/', method, headers } = raw.request;
      const signature = headers['x-amz-signature'];
      const uri = splitUri(url);
      const query = new Query(uri.query);
      const facts = {
        host: headers.host ?? '',
        authorization: headers.authorization,
        signature: Array.isArray(signature) ? signature[0] : signature,
        query,
        isForm: mayBeUploadForm(method, url, headers['content-type']),
        // Pre-flight requests carry no signature.
        announced: method === 'OPTIONS' && parts?.corsOrigins.length ? headers['access-control-request-headers'] : undefined,
      };
      if (!parts || !isGatewayRequest(facts, parts.domains)) return undefined;
      void serve(parts, { ...raw, uri, query });
      return true;
    });
  },
});
