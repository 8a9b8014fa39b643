import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError, argument, defineCommand, filledTextOf, labelled, repositoryArgument } from '@srv/lib-commands';
import { storageIdOf, storageIdOption } from './repo-create.js';
import type { CommandContext } from '@srv/lib-commands';
import type { Client } from '../../operations/client.js';
import type { WireStorageMove } from '../../operations/storage-move.js';

/** In milliseconds. */
interface Times {
  /** Between two polls. */
  readonly interval: number;
  /** In which another server continues a move whose server is gone. */
  readonly patience: number;
}

/** A server counts as dead after 30 seconds, and others look for its moves as often. */
export const repoMoveStorage = moveStorage({ interval: 1000, patience: 60_000 });

export function moveStorage(times: Times) {
  return defineCommand({
    name: 'repo move-storage',
    summary: 'Move a repository to another storage namespace',
    description: `Copy everything in the storage namespace of a repository to another one, also of another block store, then let the
repository use that one. Meanwhile the repository is used as ever; only at the end it takes no changes for a short time. The server
does the work: an interrupt of this command leaves it going. Without a target, or with the same one, a move that has stopped continues.
The old namespace keeps everything; empty it later with gc purge.`,
    examples: ['cli repo move-storage srv://example-repo --storage-namespace s3://bucket/moved-repo'],
    arguments: [repositoryArgument],
    options: [
      { ...storageIdOption, description: 'block store to move to; default: the present one' },
      { name: 'storage-namespace', type: 'string', description: 'place to move to, <scheme>://<bucket>/<path>' },
      { name: 'status', type: 'bool', default: false, description: 'only show the move' },
      { name: 'abort', type: 'bool', default: false, description: 'abort the move: the repository stays where it was' },
    ],
    async run(context, input) {
      const { repository } = context.uri.repository(argument(input, 0));
      const { status, abort } = input.options;
      const namespace = filledTextOf(input.options, 'storage-namespace');
      const body = { ...storageIdOf(input.options), ...(namespace === undefined ? {} : { storage_namespace: namespace }) };
      if ([status, abort, Object.keys(body).length > 0].filter(Boolean).length > 1)
        throw new UsageError('--status, --abort and a target cannot be combined');
      const api = await context.client();
      if (status) return api.getStorageMove({ repository });
      if (abort) return api.abortStorageMove({ repository });
      return follow(context, api, { repository, id: (await api.startStorageMove({ repository, body })).id, ...times });
    },
    render: moveText,
  });
}

/** Waits for the end of a move. @throws Error when it has stopped. */
async function follow(
  { signal, progress }: CommandContext,
  api: Client,
  { repository, id, interval, patience }: Times & { readonly repository: string; readonly id: string },
): Promise<WireStorageMove> {
  const bar = progress('Moving');
  let [objects, bytes] = [0, 0];
  let waitsUntil: number | undefined;
  try {
    for (;;) {
      const move = await api.getStorageMove({ repository }, { signal });
      bar.expect(move.copied_bytes - bytes, move.copied_objects - objects);
      bar.advance(move.copied_bytes - bytes);
      for (; objects < move.copied_objects; objects++) bar.fileDone();
      bytes = move.copied_bytes;
      if (move.phase === 'done') return move;
      if (move.running) waitsUntil = undefined;
      else waitsUntil ??= performance.now() + patience;
      const hasStopped = move.phase === 'aborted' || move.error !== undefined || (waitsUntil ?? Infinity) <= performance.now();
      if (move.id !== id || hasStopped)
        throw new Error(
          `the move of repository ${repository} has stopped (${move.phase}): ${move.error ?? 'its server is gone'}; run the command again to continue it`,
        );
      await sleep(interval, undefined, { signal });
    }
  } finally {
    bar.stop();
  }
}

function moveText(move: WireStorageMove): string {
  return labelled([
    ['Move', move.id],
    ['Phase', move.running || move.phase === 'done' || move.phase === 'aborted' ? move.phase : `${move.phase} (stopped)`],
    ['From', placeText(move.from)],
    ['To', placeText(move.to)],
    ['Started', move.started_at],
    ['Last change', move.updated_at],
    ['Objects compared', move.compared_objects],
    ['Objects copied', `${move.copied_objects} (${move.copied_bytes} B)`],
    ['Error', move.error],
    ['To remove the old one', move.phase === 'done' ? purgeCommand(move.from) : undefined],
    ['To remove the copies', move.phase === 'aborted' ? purgeCommand(move.to) : undefined],
  ]);
}

function placeText({ storage_id: id, storage_namespace: namespace }: WireStorageMove['from']): string {
  return id === '' ? namespace : `${namespace} (${id})`;
}

function purgeCommand({ storage_id: id, storage_namespace: namespace }: WireStorageMove['from']): string {
  return `cli gc purge ${namespace}${id === '' ? '' : ` --storage-id ${id}`}`;
}
