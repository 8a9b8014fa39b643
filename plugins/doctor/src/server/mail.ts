/** Examines mail: whether the configured server answers, and on request whether it takes a message. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '@srv/kernel';
import { Findings } from './finding.js';
import type { Kernel } from '@srv/kernel';

/** Milliseconds. */
const timeout = 10_000;

interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** @param recipient of a test message; empty: none is sent. */
export async function examineMail(kernel: Kernel, recipient: string): Promise<Findings> {
  const findings = new Findings('mail');
  const server = mailServer(kernel);
  if (!server) {
    if (recipient !== '') findings.fail('email.smtp_host is not set', 'Set section email of the configuration.');
    else findings.skipped('email.smtp_host is not set: no mail is sent');
    return findings;
  }
  const place = `${server.host}:${server.port}`;
  try {
    const greeting = await greetingOf(server);
    if (/^220[ -]/.test(greeting)) findings.ok(`${place} answers`);
    else
      findings.fail(
        `${place} is not a mail server: it says ${JSON.stringify(greeting.slice(0, 80))}`,
        'Correct email.smtp_host and email.smtp_port.',
      );
  } catch (error) {
    const remedy = `Correct email.smtp_host and email.smtp_port${server.tls ? ', or email.use_ssl' : '; servers on port 465 need email.use_ssl'}.`;
    findings.fail(`${place} does not answer: ${messageOf(error)}`, remedy);
  }
  if (recipient !== '' && !findings.failed) await sendTo(recipient, kernel, findings);
  return findings;
}

function mailServer({ config }: Kernel): MailServer | undefined {
  const values = new Map(config.show().map(({ key, value }) => [key, value]));
  const host = values.get('email.smtp_host');
  if (typeof host !== 'string' || host === '') return undefined;
  const tls = values.get('email.use_ssl') === true;
  return { host, port: Number(values.get('email.smtp_port') ?? (tls ? 465 : 587)), tls };
}

/** The first line a mail server says. */
export async function greetingOf({ host, port, tls }: MailServer): Promise<string> {
  const socket = tls ? connectTls({ host, port, servername: host }) : connect({ host, port });
  try {
    const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(timeout) })) as [Buffer];
    return data.toString('utf8').split('\r\n', 1)[0] ?? '';
  } finally {
    socket.destroy();
  }
}

async function sendTo(recipient: string, { hooks }: Kernel, findings: Findings): Promise<void> {
  try {
    const sent = await hooks.email.promise({ to: [recipient], subject: 'Test of srv doctor', text: 'Mail of this installation arrives.' });
    if (sent?.accepted) findings.ok(`a message to ${recipient} was accepted`);
    else findings.fail(`no plugin took a message to ${recipient}`, 'Enable the plugin that sends mail.');
  } catch (error) {
    findings.fail(`a message to ${recipient} was refused: ${messageOf(error)}`, 'Correct email.username, email.password and email.sender.');
  }
}
