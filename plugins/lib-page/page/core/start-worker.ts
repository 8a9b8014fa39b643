/** Starts workers. The page's policy wants trusted addresses for that; the one policy it allows makes those of the page's own files. */

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const ours = new URL('assets/', document.baseURI).href;

function onlyOurs(asked: string): string {
  if (!asked.startsWith(ours)) throw new TypeError(`${asked} is not a worker of this page`);
  return asked;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
/** Browsers without trusted types take the address itself. */
const policy = trustedTypes?.createPolicy('srv-worker', { createScriptURL: onlyOurs });

/** @param address of a module below the page's assets. */
export function startWorker(address: string): Worker {
  const { href } = new URL(address, document.baseURI);
  return new Worker(policy?.createScriptURL(href) ?? onlyOurs(href), { type: 'module' });
}
