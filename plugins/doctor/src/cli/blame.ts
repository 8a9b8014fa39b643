/** What a failed first request says about the configuration: which value is wrong, and what to do about it. */

import { messageOf } from '@srv/kernel';
import { isAnswerError } from '@srv/lib-commands';
import { plausibility } from './plausibility.js';
import type { DoctorSettings } from './settings.js';

/** Where a value was found, such as `CLI_SERVER_ENDPOINT_URL`. */
type SourceOf = (key: string) => string;

/** Codes of certificates that are not trusted. */
const certificate = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

export function blame(error: unknown, settings: DoctorSettings, file: string, sourceOf: SourceOf): readonly string[] {
  const url = settings['server.endpoint_url'];
  const here = `server.endpoint_url comes from ${sourceOf('server.endpoint_url')}.`;
  const missing = (['credentials.access_key_id', 'credentials.secret_access_key'] as const).filter(key => !settings[key]);
  if (missing.length > 0)
    return [
      `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set: run "cli config", or set ${missing.map(variableOf).join(' and ')}.`,
    ];
  if (isAnswerError(error, 401)) {
    const sources = new Set(['credentials.access_key_id', 'credentials.secret_access_key'].map(sourceOf));
    return [
      `It looks like you have an issue with your access_key_id or secret_access_key.\n${error.message}`,
      `They come from ${[...sources].join(' and ')}; the server at ${url} does not know them. Create a pair with "cli auth users credentials create", or ask an administrator.`,
      ...plausibility(settings),
    ];
  }
  if (isAnswerError(error, 403))
    return [`The server at ${url} refuses this user: ${error.message}. Ask an administrator for permission to list repositories.`];
  if (isAnswerError(error, 404)) return [wrongUrl(url, error.message), here];
  if (isAnswerError(error) && error.status >= 500)
    return [
      `The server at ${url} has a problem (HTTP ${error.status}): ${error.message}`,
      'The configuration is not to blame: look at the log of the server, or run "srv doctor" there.',
    ];
  if (isAnswerError(error)) return [`It looks like you have a problem with your ${file} file.\n${error.message}`];
  const text = messageOf(error);
  if (certificate.test(codeOf(error)))
    return [
      `The certificate of ${url} is not trusted: ${codeOf(error)}`,
      'Name the certificate of its authority in NODE_EXTRA_CA_CERTS, or use the host name the certificate is for.',
    ];
  return [wrongUrl(url, text), here, ...plausibility(settings), remedyOf(codeOf(error), url)].filter(line => line !== '');
}

function wrongUrl(url: string, detail: string): string {
  return `It looks like endpoint url is wrong: ${url}\n${detail}`.trimEnd();
}

function remedyOf(code: string, url: string): string {
  if (code === 'ECONNREFUSED') return `Nothing listens at ${url}: start the server there, or correct the address and port.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host of ${url} has no address: correct its name.`;
  return '';
}

/** Of the error or what caused it; the client names it in its message. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^(?!UND_)[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return /\b[A-Z][A-Z0-9_]{4,}\b/.exec(messageOf(error))?.[0] ?? '';
}

function variableOf(key: string): string {
  return `CLI_${key.toUpperCase().replaceAll('.', '_')}`;
}
