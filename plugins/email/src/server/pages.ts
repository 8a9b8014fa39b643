/** The pages that links in messages lead to, for servers and browsers without any other: plain forms, without scripts. */
import { isSrvError } from '@srv/kernel';
import { escapeHtml, page } from './html.js';
import { shortest } from './passwords.js';
import type { Lifecycle, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { PasswordService } from '../contract.js';

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // The address holds a token.
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
const largestForm = 32 * 1024;

/** What a form or an address says; the first of each name. */
type Fields = Readonly<Record<string, string>>;

/** On the web page this is the address of a user named `create`: links in messages differ from it by their token. */
const invitationPath = '/auth/users/create';
const titles = { [invitationPath]: 'Choose a password', '/auth/resetpassword': 'Choose a new password' } as const;

const forgotPath = '/auth/forgotpassword';

/** @param baseUrl begin of links: what a proxy takes off is in it. */
export function addPages(server: Server, passwords: PasswordService, baseUrl: string): void {
  const below = new URL(baseUrl).pathname.replace(/(?<!\/)\/+$/, '');
  const link = (path: string, text: string): string => `<p><a href="${escapeHtml(below + path)}">${escapeHtml(text)}</a></p>`;
  const done = (text: string): string => `<p>${escapeHtml(text)}</p>${link('/auth/login', 'Log in')}`;
  const expired = `<p>This link is no longer valid.</p>${link(forgotPath, 'Ask for a new message')}${link('/auth/login', 'Log in')}`;
  for (const [path, title] of Object.entries(titles)) {
    server.route({
      method: 'GET',
      path,
      handler(request, h) {
        const fields = fieldsOf(request.query);
        const document = fields['token'] === undefined && path === invitationPath ? documentHandler(server) : undefined;
        return document ? document.call(null, request, h) : answer(h, 200, page(title, passwordForm(fields)));
      },
    });
    server.route({
      method: 'POST',
      path,
      options: { payload: { allow: 'application/x-www-form-urlencoded', maxBytes: largestForm } },
      async handler(request, h) {
        const fields = fieldsOf(request.payload);
        const { token = '', password = '', repeated = '', email } = fields;
        if (password !== repeated) return answer(h, 400, page(title, passwordForm(fields, 'The passwords differ.')));
        try {
          await passwords.setPassword({ token, password, email: email || undefined });
        } catch (error) {
          if (isSrvError(error, 'invalid')) return answer(h, 400, page(title, passwordForm(fields, error.message)));
          if (!isSrvError(error, 'unauthenticated', 'not_found')) throw error;
          return answer(h, 401, page(title, expired));
        }
        return answer(h, 200, page(title, done('Your password is set.')));
      },
    });
  }
  addForgotPage(server, passwords, done);
}

/** What answers for the pages of other users; `undefined` on a server without the web page. */
function documentHandler(server: Server): Lifecycle.Method | undefined {
  const handler = server.match('get', '/auth/users/user')?.settings.handler;
  return typeof handler === 'function' ? (handler as Lifecycle.Method) : undefined;
}

function addForgotPage(server: Server, passwords: PasswordService, done: (text: string) => string): void {
  const [path, title] = [forgotPath, 'Forgotten password'];
  const form = (problem?: string): string =>
    `${alert(problem)}<form method="post"><label>E-mail address <input name="email" type="email" required autocomplete="email"></label><button>Send a message</button></form>`;
  server.route({ method: 'GET', path, handler: (_request, h) => answer(h, 200, page(title, form())) });
  server.route({
    method: 'POST',
    path,
    options: { payload: { allow: 'application/x-www-form-urlencoded', maxBytes: largestForm } },
    handler(request, h) {
      const { email = '' } = fieldsOf(request.payload);
      try {
        passwords.forgot(email);
      } catch (error) {
        if (!isSrvError(error, 'invalid')) throw error;
        return answer(h, 400, page(title, form('This is not an e-mail address.')));
      }
      return answer(h, 200, page(title, done('If the address is known, a message is on its way.')));
    },
  });
}

function passwordForm({ token = '', email = '' }: Fields, problem?: string): string {
  const hidden = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  const field = (name: string, label: string): string =>
    `<label>${label} <input name="${name}" type="password" required minlength="${shortest}" autocomplete="new-password"></label>`;
  return [
    alert(problem),
    '<form method="post">',
    hidden('token', token),
    ...(email === '' ? [] : [hidden('email', email), `<p>${escapeHtml(email)}</p>`]),
    field('password', 'Password'),
    field('repeated', 'Once more'),
    '<button>Set password</button></form>',
  ].join('');
}

function alert(problem: string | undefined): string {
  return problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
}

function answer(h: ResponseToolkit, status: number, html: string): ResponseObject {
  const response = h.response(html).code(status).type('text/html');
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  return response;
}

function fieldsOf(given: unknown): Fields {
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(
    Object.entries(given as Record<string, unknown>).flatMap(([name, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return typeof first === 'string' ? [[name, first]] : [];
    }),
  );
}
