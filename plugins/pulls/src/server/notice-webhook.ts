/** Notices of pull requests to one server of the operator, which hands them on to where people read them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@srv/kernel';
import { signatureHeader, signatureOf } from '@srv/lib-api/hook-types';
import { pageOf } from './announcement.js';
import type { Logger, User } from '@srv/kernel';
import type { Announcement } from './announcement.js';

interface WebhookOptions {
  readonly url: string;
  /** Key of the signature. */
  readonly secret: string;
  /** Milliseconds of one attempt. */
  readonly timeout: number;
  /** Milliseconds between attempts, of which there is one more. */
  readonly waits: readonly number[];
  readonly log: Logger;
}

export const usualWaits = [1000, 10_000, 60_000] as const;
/** Notices that wait for the receiver; further ones are dropped, and logged. */
const mostWaiting = 1000;

export class NoticeWebhook {
  readonly #options: WebhookOptions;
  readonly #stop = new AbortController();
  #waiting = 0;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Gives up waiting for receivers: the server stops. */
  stop(): void {
    this.#stop.abort();
  }

  /** Repeats the request until the receiver answers with a status of 200 to 299; a failure is logged. */
  async send(announcement: Announcement, recipients: readonly User[]): Promise<void> {
    const { log, waits } = this.#options;
    const { repository, pull, change } = announcement;
    const id = randomUUID();
    const facts = { repository: repository.id, pull_request: pull.id, change, notice: id };
    if (this.#waiting >= mostWaiting) return log.warn(facts, 'notice was not sent: too many wait for pulls.notices.webhook_url');
    this.#waiting++;
    try {
      const body = JSON.stringify(noticeOf(announcement, recipients, id));
      for (let attempt = 0; ; attempt++) {
        const problem = await this.#attempt(body, id);
        if (problem === undefined) return;
        const pause = waits[attempt];
        if (pause === undefined || this.#stop.signal.aborted)
          return log.warn({ ...facts, error: problem, attempts: attempt + 1 }, 'notice was not delivered to pulls.notices.webhook_url');
        await wait(pause, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
      }
    } finally {
      this.#waiting--;
    }
  }

  /** @returns what went wrong. */
  async #attempt(body: string, id: string): Promise<string | undefined> {
    const { url, secret, timeout } = this.#options;
    // Loaded with the first notice.
    const { sendRequest } = await import('@srv/lib-api/hook-types/exchange');
    const headers = { 'content-type': 'application/json', 'x-srv-delivery': id, [signatureHeader]: signatureOf(body, secret) };
    const quiet = { log: () => undefined, signal: this.#stop.signal };
    try {
      const { status } = await sendRequest({ method: 'POST', url: new URL(url), headers, body, timeout, limit: 1024 }, quiet);
      return status >= 200 && status < 300 ? undefined : `the receiver answers ${status}`;
    } catch (error) {
      return messageOf(error);
    }
  }
}

function noticeOf(announcement: Announcement, recipients: readonly User[], id: string) {
  const { repository, pull, change, by, comment, reviewer } = announcement;
  return {
    id,
    time: new Date().toISOString(),
    change,
    repository: repository.id,
    user: by.username,
    pull_request: {
      id: pull.id,
      title: pull.title,
      author: pull.author,
      source_branch: pull.source,
      destination_branch: pull.destination,
      page: pageOf(announcement),
    },
    comment: comment && { id: comment.id, body: comment.body, path: comment.path, line: comment.line },
    reviewer,
    recipients: recipients.map(({ username, email }) => ({ username, email: email || undefined })),
  };
}
