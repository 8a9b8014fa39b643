/** What this plugin says to the plugin of the listener about its route. */
declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** As the listener's plugin declares it. */
    http?: { readonly operationId?: string; readonly headOperationId?: string; readonly audit?: boolean };
  }
}

export type {};
