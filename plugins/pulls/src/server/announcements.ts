/** Announces what happens to pull requests, in the background: as events for action files, and as notices to the users it concerns. */
import { messageOf } from '@srv/kernel';
import { descendingXid, runEpoch } from '@srv/lib-records';
import type { Engine } from '@srv/engine/contract';
import type { Hooks, Logger } from '@srv/kernel';
import type { Announcement } from './announcement.js';
import type { Notices } from './notices.js';

interface AnnouncementParts {
  readonly hooks: Pick<Hooks, 'event'>;
  readonly engine: Pick<Engine, 'getBranch'>;
  readonly log: Logger;
  /** Absent: no notices are sent. */
  readonly notices: Notices | undefined;
}

export class Announcements {
  readonly #parts: AnnouncementParts;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: AnnouncementParts) {
    this.#parts = parts;
  }

  /** Failures are logged: what is announced has happened. */
  announce(announcement: Announcement): void {
    const { log, notices } = this.#parts;
    const { repository, pull, change } = announcement;
    const tasks = [this.#fire(announcement), notices?.send(announcement)];
    for (const task of tasks) {
      if (!task) continue;
      const running = task
        .catch((error: unknown) =>
          log.warn(
            { repository: repository.id, pull_request: pull.id, change, error: messageOf(error) },
            'change of a pull request was not announced',
          ),
        )
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Action files are read at the destination, whose owners decide what happens there. */
  async #fire({ repository, pull, change, by, comment, reviewer }: Announcement): Promise<void> {
    const { hooks, engine } = this.#parts;
    const type = `post-pull-request-${change}` as const;
    const hook = hooks.event.get(type);
    if (!hook || repository.readOnly) return;
    const { id, title, author, source, destination, commitId } = pull;
    const { commitId: sourceRef } = await engine.getBranch(repository, destination);
    await hook.promise({
      runId: descendingXid(runEpoch),
      type,
      repository: repository.id,
      storageNamespace: repository.storageNamespace,
      storageId: repository.storageId,
      instanceUid: repository.instanceUid,
      sourceRef,
      branch: destination,
      mergeSource: source,
      user: by.username,
      commitId,
      pullRequest: {
        id,
        title,
        author,
        source,
        destination,
        comment: comment?.id,
        reviewer,
      },
    });
  }
}
