/** What to do about certificates of servers that are not trusted. */

/** Codes of errors for certificates that are not trusted. */
const codes = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function isCertificateCode(code: string | undefined): boolean {
  return code !== undefined && codes.has(code);
}

/** Ends the message of an error with such a code. */
export const certificateRemedy =
  'name the certificate of its authority in NODE_EXTRA_CA_CERTS, or use a host name that the certificate is for';
