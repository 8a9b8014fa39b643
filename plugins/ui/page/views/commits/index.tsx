/** The log of a ref, or one of its commits. */
import { CommitPage } from './commit-page.js';
import { Log } from './log.js';
import type { RepositoryPlace } from '@srv/lib-page/page';

export function Commits(at: RepositoryPlace) {
  const [id] = at.rest;
  return id === undefined ? <Log {...at} /> : <CommitPage {...at} id={id} />;
}
