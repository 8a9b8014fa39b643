/** An event as one of its kind would be, for trying an action out: nothing happens in the repository. */

import { isAfter, isTagEvent } from '../files/event-types.js';
import type { Commit, Repository } from '@srv/engine/contract';
import type { EventRecord, EventType } from '@srv/kernel';

interface ExampleFacts {
  readonly runId: string;
  readonly type: EventType;
  readonly repository: Repository;
  readonly branch: string;
  readonly head: Commit;
  readonly user: string;
  readonly committer: string;
}

/** Source refs and members as the actions sheet has them, section 4.2. */
export function exampleEvent({ runId, type, repository, branch, head, user, committer }: ExampleFacts): EventRecord {
  const common = {
    runId,
    type,
    repository: repository.id,
    storageNamespace: repository.storageNamespace,
    storageId: repository.storageId,
    instanceUid: repository.instanceUid,
    user,
  };
  if (isTagEvent(type)) return { ...common, sourceRef: head.id, tag: 'example-tag', commitId: head.id };
  if (type.startsWith('post-pull-request-')) {
    const pullRequest = { id: 'example', title: 'An example', author: committer, source: branch, destination: branch };
    return { ...common, branch, sourceRef: head.id, commitId: head.id, mergeSource: branch, pullRequest };
  }
  if (type.endsWith('-branch')) {
    const isCreation = type.endsWith('create-branch');
    return { ...common, branch, sourceRef: isCreation ? branch : head.id, commitId: isCreation ? head.id : undefined };
  }
  if (isAfter(type)) return { ...common, branch, sourceRef: head.id, commitId: head.id, commit: head, ...mergeOf(type, branch) };
  const { metarangeId, generation } = head;
  const message = type === 'pre-merge' ? `Merge '${branch}' into '${branch}'` : 'An example message';
  const commit = {
    committer,
    message,
    metadata: { example: 'true' },
    metarangeId,
    creationDate: new Date(),
    parents: [head.id],
    generation: generation + 1,
  };
  if (type === 'pre-merge') return { ...common, branch, sourceRef: head.id, commitId: head.id, commit, ...mergeOf(type, branch) };
  return { ...common, branch, sourceRef: branch, commit };
}

function mergeOf(type: EventType, branch: string): { readonly mergeSource?: string } {
  return type.endsWith('-merge') ? { mergeSource: branch } : {};
}
