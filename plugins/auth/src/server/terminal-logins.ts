/**
 * Logins from a terminal: the program opens a mailbox, the person allows the login in a browser, and the program finds a
 * session in the mailbox. A mailbox that waits is stored nowhere: only its owner knows its name, of which browsers see a hash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { SrvError, absent } from '@srv/kernel';
import { signClaims } from '@srv/lib-auth';
import { authPartition, terminalLoginKey, terminalLoginPrefix } from './storage/keys.js';
import type { KvStore, LoginToken } from '@srv/kernel';
import type { Claims } from '@srv/lib-auth';
import type { AccountService, AuthService, TerminalLogins } from '../contract.js';

/** Milliseconds that a person has to allow a login, and the program to fetch it. */
const validity = 600_000;
const purpose = 'terminal_login';
/** Abandoned logins that one login removes. */
const swept = 100;

interface TerminalLoginParts {
  readonly kv: KvStore;
  readonly auth: Pick<AuthService, 'issueToken' | 'renewToken'>;
  readonly accounts: Pick<AccountService, 'issuePurposeToken' | 'readPurposeToken' | 'claimToken'>;
  /** Signs login tokens. */
  readonly secretKey: string;
}

export function createTerminalLogins({ kv, auth, accounts, secretKey }: TerminalLoginParts): TerminalLogins {
  return {
    start() {
      const mailbox = `${timeText(Date.now() + validity)}.${randomBytes(24).toString('base64url')}`;
      return { mailbox, request: accounts.issuePurposeToken(purpose, slotOf(mailbox), validity) };
    },
    async release(request, { username, session }) {
      const found = accounts.readPurposeToken(purpose, request);
      if (!found) throw new SrvError('invalid', 'this login request is not valid or has expired: begin again with cli login');
      const key = Buffer.from(terminalLoginKey(found.subject), 'utf8');
      const { token } = await auth.issueToken(username, undefined, session);
      if (!(await kv.setIf(authPartition, key, encodeMessage(token), absent)))
        throw new SrvError('not_unique', 'this login was allowed already');
      await removeAbandoned(kv);
    },
    async collect(mailbox): Promise<LoginToken | undefined> {
      const expiresAt = expiryOf(mailbox);
      if (expiresAt === undefined) return undefined;
      const key = Buffer.from(terminalLoginKey(slotOf(mailbox)), 'utf8');
      const found = await kv.get(authPartition, key);
      // Once, and not later: of two programs that know the mailbox one gets the token.
      if (!found || !(await accounts.claimToken(`${purpose}-${slotOf(mailbox)}`, expiresAt))) return undefined;
      await kv.delete(authPartition, key);
      const message = decodeMessage(found.value);
      if ('username' in message) return auth.issueToken(message.username);
      // A token for as long as any, unless the session that allowed it, its access key or its user has gone meanwhile.
      return auth.renewToken(signClaims(message.claims, secretKey));
    },
  };
}

/** What a login token says, without its signature: no secret is stored. The slash, which no name holds, distinguishes it from a name. */
function encodeMessage(token: string): Buffer {
  const [, claims = ''] = token.split('.');
  return Buffer.from(`/${Buffer.from(claims, 'base64url').toString('utf8')}`, 'utf8');
}

/** Earlier versions stored the name of the user alone. */
function decodeMessage(value: Buffer): { readonly claims: Claims } | { readonly username: string } {
  const text = value.toString('utf8');
  return text.startsWith('/') ? { claims: JSON.parse(text.slice(1)) as Claims } : { username: text };
}

/** Nine characters, in the order of time. */
const timeText = (time: number): string => time.toString(36).padStart(9, '0');

function expiryOf(mailbox: string): Date | undefined {
  const time = /^([0-9a-z]{9})\.[\w-]{32}$/.exec(mailbox)?.[1];
  return time === undefined ? undefined : new Date(Number.parseInt(time, 36));
}

/** Where the message of a mailbox is kept: begins with the time it ends, so that abandoned ones come first. */
const slotOf = (mailbox: string): string => `${mailbox.slice(0, 9)}-${createHash('sha256').update(mailbox).digest('hex')}`;

async function removeAbandoned(kv: KvStore): Promise<void> {
  const prefix = Buffer.from(terminalLoginPrefix, 'utf8');
  const old: Buffer[] = [];
  const now = timeText(Date.now());
  for await (const page of kv.scan(authPartition, { start: prefix, batchSize: swept })) {
    for (const { key } of page) {
      const name = key.toString('utf8');
      if (!name.startsWith(terminalLoginPrefix) || name.slice(terminalLoginPrefix.length) >= now || old.length === swept) {
        for (const gone of old) await kv.delete(authPartition, gone);
        return;
      }
      old.push(key);
    }
  }
  for (const gone of old) await kv.delete(authPartition, gone);
}
