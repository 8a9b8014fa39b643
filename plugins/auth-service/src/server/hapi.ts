/** What the listener reads of a route's configuration. Its plugin is above this one. */

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    http?: { readonly operationId?: string; readonly headOperationId?: string; readonly audit?: boolean };
  }
}

export {};
