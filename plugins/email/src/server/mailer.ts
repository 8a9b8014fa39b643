/** Sends messages to the configured SMTP host, no more than its owner allows. */
import { SrvError } from '@srv/kernel';
import { createTransport } from 'nodemailer';
import { mayBeSent, sendFailure } from './send-failure.js';
import { SendLimit } from './send-limit.js';
import type { EmailMessage } from '@srv/kernel';

export interface MailerOptions {
  readonly host: string;
  /** Absent: 465 with `ssl`, else 587. */
  readonly port?: number | undefined;
  /** TLS from the start; else STARTTLS where the host offers it. */
  readonly ssl: boolean;
  readonly account?: { readonly user: string; readonly pass: string } | undefined;
  /** Said with EHLO. */
  readonly localName: string;
  readonly sender: string;
  /** Milliseconds between messages on average; 0: any number. */
  readonly every: number;
  readonly burst: number;
  /** Certificates to trust in addition to the usual ones. */
  readonly ca?: string;
  /** Milliseconds a host may be silent. */
  readonly timeoutMs?: number;
}

export class Mailer {
  readonly #options: MailerOptions;
  readonly #limit: SendLimit;
  readonly #transport: ReturnType<typeof createTransport>;

  constructor(options: MailerOptions) {
    const { host, port, ssl, account, localName, ca, timeoutMs = 15_000 } = options;
    this.#options = options;
    this.#limit = new SendLimit(options);
    this.#transport = createTransport({
      host,
      port: port ?? (ssl ? 465 : 587),
      secure: ssl,
      name: localName,
      // A password is never sent in clear text: without TLS the message is not sent.
      requireTLS: !ssl && account !== undefined,
      auth: account,
      ...(ca === undefined ? {} : { tls: { ca } }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /**
   * A message that the host does not take does not count for the limit.
   * @throws SrvError `too_many_tries` above the limit; `invalid` for a recipient or a message that the host refuses for good,
   * `unsupported` for settings that it does not accept, `unavailable` when a later try may succeed.
   */
  async send({ to, subject, text, html }: EmailMessage): Promise<{ readonly accepted: boolean }> {
    const { burst, every, sender } = this.#options;
    if (!this.#limit.take()) {
      const remedy = burst === 0 ? 'email.burst is 0' : `one message each ${every} ms on average, ${burst} at once`;
      throw new SrvError('too_many_tries', `mail not sent: rate limit exceeded (${remedy})`, { details: { note: 'rate limit exceeded' } });
    }
    try {
      const { rejected } = await this.#transport.sendMail({
        from: sender,
        to: [...to],
        subject,
        text,
        html,
      });
      return { accepted: rejected.length === 0 };
    } catch (error) {
      if (!mayBeSent(error)) this.#limit.giveBack();
      throw sendFailure(error, { where: this.#where(), to });
    }
  }

  close(): void {
    this.#transport.close();
  }

  #where(): string {
    const { host, port, ssl } = this.#options;
    return `${host}:${port ?? (ssl ? 465 : 587)}`;
  }
}
