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
  // The one policy makes addresses of the page's own workers (page/features/shell/start-worker.ts), and nothing else.
  'trusted-types': 'srv-worker',
} as const;

/** A worker has the policy of its own script: commands, and requests to this server. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
};

export const documentHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; '),
  // Paths and refs are in addresses.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};
