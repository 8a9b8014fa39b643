/** A mail server on a free port that keeps what it is sent. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { freePort } from './free-port.js';
import { loopbackCertificate } from './loopback-certificate.js';
import { loadPackage } from './packages.js';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import type { Readable } from 'node:stream';
import type { TestServer } from './test-server.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly raw: string;
}

export interface SmtpServer extends TestServer {
  /** In the order of arrival. */
  readonly received: readonly ReceivedMail[];
}

export interface SmtpOptions {
  /** `none`: clear text only; `starttls`: offered; `ssl`: from the start. Default: `none`. */
  readonly encryption?: 'none' | 'starttls' | 'ssl';
  /** Messages are taken without a login, too. Default: false. */
  readonly open?: boolean;
  /** Recipients that are refused. */
  readonly refuses?: (address: string) => boolean;
  /** Status and text for each message after its last byte; default: it is taken. */
  readonly refusesData?: { readonly responseCode: number; readonly text: string };
}

type Done<Value> = (error: Error | null, value?: Value) => void;

interface Envelope {
  readonly mailFrom: false | { readonly address: string };
  readonly rcptTo: readonly { readonly address: string }[];
}

interface Handlers {
  onRcptTo(recipient: { readonly address: string }, session: unknown, done: Done<never>): void;
  onAuth(login: { readonly username?: string; readonly password?: string }, session: unknown, done: Done<{ user: string }>): void;
  onData(stream: Readable, session: { readonly envelope: Envelope }, done: (error?: unknown) => void): void;
}

/** A server of the package `smtp-server`. */
interface PackageServer extends EventEmitter {
  listen(port: number, host: string): Server;
  close(done: () => void): void;
}

interface SmtpPackage {
  readonly SMTPServer: new (options: Handlers & Readonly<Record<string, unknown>>) => PackageServer;
}

const account = { username: 'sender', password: 'a password for tests' };

export async function startSmtp({
  encryption = 'none',
  open = false,
  refuses = () => false,
  refusesData,
}: SmtpOptions = {}): Promise<SmtpServer> {
  const { SMTPServer } = await loadPackage<SmtpPackage>('smtp-server');
  const port = await freePort();
  const received: ReceivedMail[] = [];
  let server: PackageServer | undefined;
  const start = async (): Promise<void> => {
    server = new SMTPServer({
      ...loopbackCertificate,
      secure: encryption === 'ssl',
      disabledCommands: encryption === 'starttls' ? [] : ['STARTTLS'],
      allowInsecureAuth: encryption === 'none',
      authOptional: open,
      onRcptTo: ({ address }, _session, done) => done(refuses(address) ? new Error('no such mailbox') : null),
      onAuth({ username = '', password }, _session, done) {
        if (username === account.username && password === account.password) done(null, { user: username });
        else done(new Error('unknown user or wrong password'));
      },
      onData(stream, { envelope }, done) {
        text(stream).then(raw => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          if (refusesData) {
            done(Object.assign(new Error(refusesData.text), { responseCode: refusesData.responseCode }));
            return;
          }
          received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
          done();
        }, done);
      },
    });
    // A client that goes away in the middle is its own concern.
    server.on('error', () => undefined);
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  const stop = (): Promise<void> => new Promise(resolve => (server ? server.close(resolve) : resolve()));
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    env: {
      SRV_EMAIL_SMTP_HOST: '127.0.0.1',
      SRV_EMAIL_SMTP_PORT: String(port),
      SRV_EMAIL_USERNAME: account.username,
      SRV_EMAIL_PASSWORD: account.password,
    },
    received,
    start,
    stop,
    close: stop,
  };
}
