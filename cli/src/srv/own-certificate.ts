/** TLS from a server to itself. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

/**
 * Trust in one server, whose certificate is known: under whatever name it is reached.
 * @param pem the certificate, followed by those of its authorities, if any. Node.js 20 needs that of an authority which it does
 * not know; later versions do not.
 */
export function trustOnly(pem: string): Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'> {
  const { raw } = new X509Certificate(pem);
  const options = {
    ca: [...rootCertificates, pem],
    // Not known to the types of the oldest supported runtime, which ignores it.
    allowPartialTrustChain: true,
    checkServerIdentity: (_host: string, shown: { readonly raw: Buffer }) =>
      shown.raw.equals(raw) ? undefined : new Error('the server shows another certificate than its own'),
  };
  return options;
}
