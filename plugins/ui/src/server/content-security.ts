/** What the browser may do for the page: only what the page itself brought, and nothing for other sites. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'font-src': "'self'",
  'img-src': "'self' data: blob:",
  'media-src': "'self' blob:",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'object-src': "'self'",
  'frame-src': "'self' blob:",
  'form-action': "'self'",
  'base-uri': "'self'",
  'frame-ancestors': "'self'",
  'require-trusted-types-for': "'script'",
  // The one policy makes addresses of the page's own workers (page/core/start-worker.ts), and nothing else.
  'trusted-types': 'srv-worker',
} as const;

/** A worker has the policy of its own script: commands, requests to this server, and WebAssembly, which decompresses tables. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
};

/** A worker of a plugin's page part may run WebAssembly, and has no network: the page gives it what it works on. */
export const partScriptHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src blob:; require-trusted-types-for 'script'; trusted-types 'none'",
};

function written(rules: Readonly<Record<string, string>>): string {
  return Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** What an operator lets the page do beyond that. */
interface Extensions {
  /** Hashes of inline scripts. */
  readonly scripts: readonly string[];
  /** Origins that those scripts come from and talk to. */
  readonly hosts: readonly string[];
  /** Origins of pages that show objects. */
  readonly viewers: readonly string[];
}

export function documentHeaders({ scripts, hosts, viewers }: Extensions): Readonly<Record<string, string>> {
  const extended = {
    ...policy,
    'script-src': [policy['script-src'], ...scripts, ...hosts].join(' '),
    'connect-src': [policy['connect-src'], ...hosts].join(' '),
    'img-src': [policy['img-src'], ...hosts].join(' '),
    'frame-src': [policy['frame-src'], ...viewers].join(' '),
  };
  return {
    'Content-Security-Policy': written(extended),
    // Paths and refs are in addresses.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}

/** Of an empty document, in whose name the page connects to one object store. @param origin as URLs write it. */
export function storeAccessHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': written({
      'default-src': "'none'",
      'connect-src': origin,
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'self'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    }),
    // Stores learn nothing about the page.
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
