/** What this plugin reads from, and leaves on, the requests of the HTTP framework. */
import type { OperationMeter } from './api.js';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set once the route is known. */
    metrics?: { readonly began: number; readonly operation?: OperationMeter };
  }
  interface PluginSpecificConfiguration {
    /** As the listener's plugin declares it. */
    http?: { readonly operationId?: string; readonly headOperationId?: string; readonly audit?: boolean };
  }
}
