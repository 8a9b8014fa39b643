/** What to do about certificates of servers that are not trusted. */

/** Codes of errors for certificates that are not trusted, such as `CERT_HAS_EXPIRED` or `UNABLE_TO_VERIFY_LEAF_SIGNATURE`. */
const codes = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

export function isCertificateCode(code: string | undefined): boolean {
  return code !== undefined && codes.test(code);
}

/** Ends the message of an error with such a code. */
export const certificateRemedy =
  'name the certificate of its authority in NODE_EXTRA_CA_CERTS, or use a host name that the certificate is for';
