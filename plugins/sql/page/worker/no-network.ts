/**
 * Takes the network away from the engine, which would otherwise open addresses itself. The policy of the worker forbids it as well;
 * this gives an error that can be read. Imported before the engine.
 */

class NoRequests {
  constructor() {
    throw new Error('queries read and write srv://repository/ref/path only');
  }
}

Object.defineProperty(globalThis, 'XMLHttpRequest', { value: NoRequests });
// The engine logs to the console what it answers anyway.
for (const name of ['log', 'info', 'warn', 'error'] as const) console[name] = () => undefined;
