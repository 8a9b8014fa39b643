/** The hook type `webhook`: sends an event to a web server, and fails unless the server answers with success. */
import { definePlugin } from '@srv/kernel';
import { webhookProperties } from './properties.js';
import type { HookType } from '@srv/lib-api/hook-types';
import type { WebhookProperties } from './properties.js';

const webhook: HookType<WebhookProperties> = {
  properties: webhookProperties,
  // Loaded with the first hook that runs: programs that only check files need no HTTP client.
  run: async request => (await import('./send.js')).sendEvent(request),
};

export default definePlugin({
  name: 'hook-webhook',
  apply: ({ hooks }) => hooks.hookType.for('webhook').tap('hook-webhook', () => webhook),
});
