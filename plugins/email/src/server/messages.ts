/** The messages: as text and as HTML, with one link each. */
import { escapeHtml } from './html.js';
import type { EmailMessage } from '@srv/kernel';

/** `ttl` in words. */
interface Letter {
  readonly subject: string;
  readonly greeting: string;
  readonly action: string;
  readonly note: string;
}

const invitation: Letter = {
  subject: 'You have been invited to srv',
  greeting: 'You have been invited to work with srv, a versioned object store.',
  action: 'Choose a password',
  note: 'The link works once, for 6 hours. Afterwards, ask for another one at “Forgot your password?” on the login page.',
};

const reset: Letter = {
  subject: 'Reset Password Request for your srv account',
  greeting: 'A new password was requested for your srv account, probably by you.',
  action: 'Choose a new password',
  note: 'The link works once, for 20 minutes. If it was not you, ignore this message: nothing has changed.',
};

/** @param base `email.srv_base_url`. */
export function invitationTo(address: string, token: string, base: string): EmailMessage {
  return write(address, invitation, linkTo(base, '/auth/users/create', { token, email: address }));
}

export function resetFor(address: string, token: string, base: string): EmailMessage {
  return write(address, reset, linkTo(base, '/auth/resetpassword', { token }));
}

/** The message with the address of its page at the end. */
export function withPage({ page, ...message }: EmailMessage, base: string): EmailMessage {
  return page === undefined ? message : { ...message, text: `${message.text}\n${linkTo(base, page, {})}\n` };
}

function linkTo(base: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  url.hash = '';
  return url.href;
}

function write(address: string, { subject, greeting, action, note }: Letter, link: string): EmailMessage {
  const text = `${greeting}\n\n${action}:\n${link}\n\n${note}\n`;
  const html = [
    '<!DOCTYPE html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5">',
    `<p>${escapeHtml(greeting)}</p>`,
    `<p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p>`,
    `<p style="color: #666">${escapeHtml(note)}</p>`,
    '</body></html>',
    '',
  ].join('\n');
  return { to: [address], subject, text, html };
}
