/** Notices of pull requests, for the users whom a change concerns: its author, reviewers, and participants of a thread. */
import { isSrvError, messageOf } from '@srv/kernel';
import { may, repositoryArn } from '@srv/lib-api';
import { pageOf } from './announcement.js';
import { authorNameOf } from './authorship.js';
import type { Repository } from '@srv/engine/contract';
import type { EmailMessage, Logger, Permission, PullRequestChange, User } from '@srv/kernel';
import type { Comment, Reviewer } from '../contract.js';
import type { Announcement } from './announcement.js';
import type { NoticeWebhook } from './notice-webhook.js';

/** Users who get a notice of one change. */
const mostRecipients = 50;
/** Characters of a title in a subject, and of a comment in a message. */
const longest = { title: 120, comment: 4000 };

interface NoticeParts {
  readonly log: Logger;
  /** By name, or by the name that goes into commits. @throws SrvError `not_found`. */
  readonly findUser: (name: string) => Promise<User | undefined>;
  readonly authorize: (user: User, permission: Permission) => Promise<boolean>;
  readonly reviewers: (repository: Repository, pull: string) => Promise<readonly Reviewer[]>;
  /** Of the thread of a comment. */
  readonly thread: (repository: Repository, comment: Comment) => Promise<readonly Comment[]>;
  /** Absent: no mail is sent. */
  readonly send: ((message: EmailMessage) => Promise<{ readonly accepted: boolean } | undefined>) | undefined;
  /** Absent: no server is informed. */
  readonly webhook: Pick<NoticeWebhook, 'send'> | undefined;
}

const said: Readonly<Record<PullRequestChange, string>> = {
  created: 'opened',
  'review-requested': 'asks you to review',
  commented: 'commented on',
  approved: 'approved',
  merged: 'merged',
  closed: 'closed',
  reopened: 'reopened',
};

export class Notices {
  readonly #parts: NoticeParts;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
  }

  /** Users who are deactivated or may not read the pull request get none. */
  async send(announcement: Announcement): Promise<void> {
    const recipients = await this.#recipients(announcement);
    if (recipients.length > 0)
      await Promise.all([this.#mail(announcement, recipients), this.#parts.webhook?.send(announcement, recipients)]);
  }

  /** One message each, so that users do not learn the addresses of others. */
  async #mail(announcement: Announcement, recipients: readonly User[]): Promise<void> {
    const { log, send } = this.#parts;
    if (!send) return;
    const { repository, pull, change } = announcement;
    for (const { email: address } of recipients) {
      if (!address) continue;
      try {
        await send(messageAbout(announcement, address));
      } catch (error) {
        log.warn(
          { repository: repository.id, pull_request: pull.id, change, error: messageOf(error) },
          'mail about a pull request was not sent',
        );
      }
    }
  }

  async #recipients(announcement: Announcement): Promise<readonly User[]> {
    const { authorize } = this.#parts;
    const { repository, by } = announcement;
    const permission = may('pr:ReadPullRequest', repositoryArn(repository.id));
    const found = new Map<string, User>();
    for (const name of await this.#concerned(announcement)) {
      if (found.size >= mostRecipients) break;
      const user = await this.#user(name);
      if (!user || user.inactive === true || user.username === by.username || found.has(user.username)) continue;
      if (await authorize(user, permission)) found.set(user.username, user);
    }
    return [...found.values()];
  }

  /** Names of users, some perhaps twice. */
  async #concerned({ repository, pull, change, comment, reviewer }: Announcement): Promise<readonly string[]> {
    if (change === 'created') return [];
    if (change === 'review-requested') return reviewer === undefined ? [] : [reviewer];
    const reviewers = await this.#parts.reviewers(repository, pull.id);
    const thread = comment ? await this.#parts.thread(repository, comment) : [];
    return [authorNameOf(pull), ...reviewers.map(({ username }) => username), ...thread.map(({ author }) => author.username)];
  }

  async #user(name: string): Promise<User | undefined> {
    try {
      return await this.#parts.findUser(name);
    } catch (error) {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}

function messageAbout(announcement: Announcement, address: string): EmailMessage {
  const { repository, pull, change, by, comment } = announcement;
  const what = `${by.committer} ${said[change]} pull request ${pull.id}`;
  const place = comment?.path === undefined ? '' : ` on ${comment.path}${comment.line === undefined ? '' : `:${comment.line}`}`;
  return {
    to: [address],
    subject: `[${repository.id}] ${oneLine(pull.title)}`,
    text: [
      `${what}${place}: ${oneLine(pull.title)}`,
      `${pull.source} into ${pull.destination} of ${repository.id}`,
      ...(comment ? ['', cut(comment.body, longest.comment)] : []),
      '',
    ].join('\n'),
    page: pageOf(announcement),
  };
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)} …` : text);
const oneLine = (text: string): string => cut(text.replace(/\p{Cc}+/gu, ' '), longest.title);
