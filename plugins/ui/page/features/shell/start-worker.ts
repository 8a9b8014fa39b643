/** Starts the shell's worker. The page's policy wants a trusted address for that; the one policy it allows makes this one only. */
import workerUrl from './worker.js?worker&url';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const address = new URL(workerUrl, import.meta.url).href;

function onlyOurs(asked: string): string {
  if (asked !== address) throw new TypeError(`${asked} is not a worker of this page`);
  return asked;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
/** Browsers without trusted types take the address itself. */
const policy = trustedTypes?.createPolicy('srv-worker', { createScriptURL: onlyOurs });

export function startWorker(): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' });
}
