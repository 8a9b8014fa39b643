/** Why a message was not sent: whether it helps to repeat the request, and what to change if not. */
import { SrvError, messageOf } from '@srv/kernel';

/** What the SMTP client says of a failure. */
interface SmtpError {
  readonly code?: string;
  /** Code of the system or of TLS, where `code` is the client's. */
  readonly originalCode?: string;
  /** Step that failed, such as `RCPT TO`. */
  readonly command?: string;
  readonly response?: string;
  /** Status of the host's response, such as 550. */
  readonly responseCode?: number;
  readonly timeoutType?: string;
}

interface Attempt {
  /** Host and port. */
  readonly where: string;
  readonly to: readonly string[];
}

/** Characters of a host's text that are shown. */
const longest = 200;
const certificateProblem = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|ERR_TLS_|ERR_SSL_)/;

/**
 * `invalid`: the host refuses the message for good; `unsupported`: the settings of mail have to be corrected; `unavailable`: a
 * later try may succeed.
 */
export function sendFailure(error: unknown, { where, to }: Attempt): SrvError {
  const smtp = factsOf(error);
  const options = { cause: error };
  if (isFinal(smtp) && (smtp.command === 'RCPT TO' || smtp.command === 'DATA'))
    return new SrvError(
      'invalid',
      `mail not sent: ${where}: refused a message to ${shown(to.join(', '))}: ${shown(smtp.response)}`,
      options,
    );
  const text = `mail not sent: ${where}: ${shown(messageOf(error))}`;
  const remedy = remedyOf(smtp);
  return remedy === undefined ? new SrvError('unavailable', text, options) : new SrvError('unsupported', `${text}: ${remedy}`, options);
}

/** Whether the host may have accepted the message although its response is missing. */
export function mayBeSent(error: unknown): boolean {
  const { code, originalCode = '', responseCode, timeoutType } = factsOf(error);
  if (responseCode !== undefined) return false;
  if (code === 'ETIMEDOUT') return timeoutType === 'SOCKET_TIMEOUT';
  if (code === 'ESOCKET') return originalCode === 'ECONNRESET' || originalCode === 'EPIPE';
  return code === 'ECONNECTION';
}

function remedyOf(smtp: SmtpError): string | undefined {
  const { code, command, originalCode = '', responseCode } = smtp;
  if (code === 'EAUTH' && (responseCode === undefined || isFinal(smtp))) return 'correct email.username and email.password';
  if (certificateProblem.test(originalCode))
    return 'email.smtp_host must be a name in its certificate, and the certificate must be trusted (NODE_EXTRA_CA_CERTS)';
  if (code === 'ETLS' || originalCode === 'EPROTO')
    return 'it offers no TLS this way: correct email.use_ssl and email.smtp_port, or remove email.username and email.password';
  if (command === 'MAIL FROM' && isFinal(smtp)) return 'correct email.sender, or email.username and email.password';
  return undefined;
}

const isFinal = ({ responseCode = 0 }: SmtpError): boolean => responseCode >= 500;

function factsOf(error: unknown): SmtpError {
  return error instanceof Error ? (error as Error & SmtpError) : {};
}

/** What a host says may be of any length and hold anything. */
function shown(text = ''): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
