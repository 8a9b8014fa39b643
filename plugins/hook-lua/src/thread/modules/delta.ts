/** `formats`: the log of a Delta table in a repository, read with the credentials the script gives. */

import { checkText } from '../bounds.js';
import { maxLog } from '../limits.js';
import { LuaError, bytesOf, fromJson, table, toJson } from '../lua-value.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { LuaTable, LuaValue } from '../lua-value.js';
import type { OutsideLink } from '../outside-link.js';
import type { ApiCall } from '../protocol.js';
import type { ServerLink } from '../server-link.js';

interface Place {
  readonly repository: string;
  readonly ref: string;
  readonly as: NonNullable<ApiCall['as']>;
}

/** Files of the log by version. */
interface LogFiles {
  readonly commits: ReadonlyMap<number, string>;
  /** Parts of checkpoints, in order. */
  readonly checkpoints: ReadonlyMap<number, readonly string[]>;
}

type Action = Readonly<Record<string, unknown>>;

export function deltaModules(link: Pick<ServerLink, 'call'>, outside: Pick<OutsideLink, 'call'>): LuaModules {
  return {
    delta: {
      get_table: args => {
        const { key, secret } = toJson(args.table(1)) as { readonly key?: string; readonly secret?: string };
        const place = { repository: args.text(2), ref: args.text(3), as: { accessKeyId: key ?? '', secretAccessKey: secret ?? '' } };
        return new DeltaLog(place, link, outside).read(prefixOf(args));
      },
    },
  };
}

function prefixOf(args: Arguments): string {
  return `${args.text(4).replaceAll(/^\/+|(?<!\/)\/+$/g, '')}/_delta_log/`.replace(/^\//, '');
}

class DeltaLog {
  readonly #place: Place;
  readonly #link: Pick<ServerLink, 'call'>;
  readonly #outside: Pick<OutsideLink, 'call'>;
  /** Bytes read so far. */
  #bytes = 0;

  constructor(place: Place, link: Pick<ServerLink, 'call'>, outside: Pick<OutsideLink, 'call'>) {
    this.#place = place;
    this.#link = link;
    this.#outside = outside;
  }

  /** @returns the lines of each version, and what the last metadata action says. */
  read(folder: string): readonly LuaValue[] {
    const { commits, checkpoints } = this.#list(folder);
    const versions = [...commits.keys()].toSorted((a, b) => a - b);
    const lines = new Map<number, readonly string[]>();
    // Older commits are cleaned away: a checkpoint holds what they come to.
    const start = versions[0] === 0 ? undefined : [...checkpoints.keys()].toSorted((a, b) => b - a)[0];
    if (start !== undefined) lines.set(start, this.#checkpoint(checkpoints.get(start) ?? []));
    for (const version of versions) if (version > (start ?? -1)) lines.set(version, this.#commit(commits.get(version) ?? ''));
    if (lines.size === 0) throw new LuaError(`no Delta table at ${this.#place.repository}/${this.#place.ref}/${folder}: the log is empty`);
    const metadata = [...lines.values()].flat().findLast(line => line.includes('"metaData"'));
    const found = metadata === undefined ? undefined : (JSON.parse(metadata) as { readonly metaData?: Action }).metaData;
    return [new Map([...lines].map(([version, actions]) => [version, actions.map(bytesOf)])), metadataTable(found ?? {})];
  }

  #list(folder: string): LogFiles {
    const commits = new Map<number, string>();
    const checkpoints = new Map<number, string[]>();
    for (let after = ''; ; ) {
      const body = this.#call('listObjects', { prefix: folder, amount: 1000, user_metadata: false, ...(after === '' ? {} : { after }) });
      const page = JSON.parse(Buffer.from(body).toString('utf8')) as {
        readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
        readonly results: readonly { readonly path: string }[];
      };
      for (const { path } of page.results) {
        const name = path.slice(folder.length);
        const commit = /^(\d{20})\.json$/.exec(name);
        if (commit) commits.set(Number(commit[1]), path);
        const checkpoint = /^(\d{20})\.checkpoint(?:\.\d{10}\.\d{10})?\.parquet$/.exec(name);
        if (checkpoint) checkpoints.set(Number(checkpoint[1]), [...(checkpoints.get(Number(checkpoint[1])) ?? []), path]);
      }
      if (!page.pagination.has_more) return { commits, checkpoints };
      after = page.pagination.next_offset;
    }
  }

  #commit(path: string): readonly string[] {
    const text = Buffer.from(this.#call('getObject', { path })).toString('utf8');
    return text.split('\n').filter(line => line.trim() !== '');
  }

  /** Rows of a checkpoint have one column for each kind of action. */
  #checkpoint(paths: readonly string[]): readonly string[] {
    return paths.flatMap(path => {
      const data = this.#call('getObject', { path });
      return this.#outside.call({ service: 'parquet', method: 'rowsAsJson', input: { data } }) as readonly string[];
    });
  }

  #call(operation: string, input: Action): Uint8Array {
    const { repository, ref, as } = this.#place;
    const { status, body } = this.#link.call({ operation, input: { repository, ref, ...input }, as });
    if (status !== 200) {
      const shown = Buffer.from(body ?? [])
        .toString('utf8')
        .trim();
      throw new LuaError(`${operation} ${repository}/${ref} ${String(input['path'] ?? input['prefix'])}: HTTP ${status} ${shown}`);
    }
    this.#bytes += body?.length ?? 0;
    checkText(this.#bytes, maxLog);
    return body ?? new Uint8Array();
  }
}

function metadataTable(metadata: Action): LuaTable {
  const of = (name: string): LuaValue => fromJson(metadata[name]);
  return table({
    id: of('id') ?? '',
    name: of('name') ?? '',
    description: of('description') ?? '',
    schema_string: of('schemaString') ?? '',
    partition_columns: of('partitionColumns') ?? [],
    configuration: of('configuration') ?? new Map(),
    created_time: of('createdTime') ?? 0,
  });
}
