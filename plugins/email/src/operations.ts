/** Passwords by mail. Both are for people who cannot log in. */

import { SrvError } from '@srv/kernel';
import { empty, operation, optional, record, text } from '@srv/lib-api';
import type { OperationContext } from '@srv/lib-api';
import type { PasswordService } from './contract.js';

function passwordsOf({ services }: OperationContext): PasswordService {
  const found = services.find('passwords');
  if (!found) throw new SrvError('unsupported', 'Not Implemented: this server sends no mail, see email.smtp_host');
  return found;
}

/** Operations by id. */
export type EmailOperations = typeof emailOperations;

export const emailOperations = {
  forgotPassword: operation({
    operationId: 'forgotPassword',
    method: 'POST',
    path: '/auth/password/forgot',
    tag: 'auth',
    summary: 'Ask for a message with a link to choose a new password; the answer does not reveal whether the address is known',
    access: 'public',
    body: record({ email: text() }),
    status: 204,
    result: empty,
    failures: [400, 501],
    handler: (context, { body }) => passwordsOf(context).forgot(body.email),
  }),

  updatePassword: operation({
    operationId: 'updatePassword',
    method: 'POST',
    path: '/auth/password',
    tag: 'auth',
    summary: 'Choose a password with the token of an invitation or of a reset message; it works once',
    access: 'public',
    body: record({ token: text(), newPassword: optional(text()), new_password: optional(text()), email: optional(text()) }),
    status: 201,
    result: empty,
    failures: [400, 401, 404, 501],
    handler: (context, { body }) =>
      passwordsOf(context).setPassword({ token: body.token, password: body.new_password ?? body.newPassword ?? '', email: body.email }),
  }),
};

export default emailOperations;

declare module '@srv/lib-api' {
  interface Operations extends EmailOperations {}
}
