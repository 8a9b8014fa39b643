/** Real servers for tests, and tools to make them misbehave. Each server has a module of its own: `@srv/test-servers/postgres`. */
export * from './fault-proxy.js';
export * from './free-port.js';
export * from './loopback-certificate.js';
export * from './scripted-http.js';
export { startSrv } from './srv-kernel.js';
export * from './test-server.js';
export * from './webhook-receiver.js';
export type { RunningSrv, SrvOptions } from './srv-kernel.js';
