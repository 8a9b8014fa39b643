/** `lakefs`, also called `srv`: the API of this server, in the name of the user whose request started the hook. */
import { LuaError, bytesOf, bytesOfBuffer, fromJson, isArray, textOf } from '../lua-value.js';
import type { Arguments, LuaFunction, LuaModules } from '../arguments.js';
import type { LuaValue } from '../lua-value.js';
import type { ApiResponse, ServerLink } from '../server-link.js';

/** How a function shows a body; `lines`: a value of each line. */
type Shown = 'bytes' | 'text' | 'value' | 'lines';

export function repositoryModules(link: Pick<ServerLink, 'call'>): LuaModules {
  const call = (operation: string, shown: Shown, input: (args: Arguments) => Readonly<Record<string, unknown>>): LuaFunction => {
    return args => present(link.call({ operation, input: given(input(args)) }), shown);
  };
  return {
    lakefs: {
      get_object: call('getObject', 'bytes', args => ({ repository: args.text(1), ref: args.text(2), path: args.text(3) })),
      stat_object: call('statObject', 'text', args => ({
        repository: args.text(1),
        ref: args.text(2),
        path: args.text(3),
        user_metadata: args.optionalBoolean(4),
      })),
      list_objects: call('listObjects', 'value', args => ({
        repository: args.text(1),
        ref: args.text(2),
        after: args.optionalText(3),
        prefix: args.optionalText(4),
        delimiter: args.optionalText(5),
        amount: args.optionalNumber(6),
        user_metadata: args.optionalBoolean(7),
      })),
      update_object_user_metadata: call('updateObjectUserMetadata', 'value', args => ({
        repository: args.text(1),
        branch: args.text(2),
        path: args.text(3),
        body: { set: textsOf(args) },
      })),
      diff_refs: call('diffRefs', 'value', args => ({
        repository: args.text(1),
        leftRef: args.text(2),
        rightRef: args.text(3),
        after: args.optionalText(4),
        prefix: args.optionalText(5),
        delimiter: args.optionalText(6),
        amount: args.optionalNumber(7),
      })),
      diff_branch: call('diffBranch', 'value', args => ({
        repository: args.text(1),
        branch: args.text(2),
        after: args.optionalText(3),
        amount: args.optionalNumber(4),
        prefix: args.optionalText(5),
        delimiter: args.optionalText(6),
      })),
      diff_rows: call('diffRows', 'lines', args => ({
        repository: args.text(1),
        leftRef: args.text(2),
        rightRef: args.text(3),
        path: args.text(4),
        key: columnsOf(args, 5),
        limit: args.optionalNumber(6) ?? 0,
        right_path: args.optionalText(7),
      })),
      create_tag: call('createTag', 'value', args => ({ repository: args.text(1), body: { ref: args.text(2), id: args.text(3) } })),
    },
  };
}

/** Empty values are not sent. */
function given(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== ''));
}

function textsOf(args: Arguments): Readonly<Record<string, string>> {
  const texts = [...args.table(4)].map(([name, value]) => {
    const key = String(name);
    if (typeof value !== 'string' && typeof value !== 'number') throw new LuaError(`metadata ${textOf(key)} must be a string`);
    return [textOf(key), textOf(String(value))] as const;
  });
  return Object.fromEntries(texts);
}

/** A name, or a list of names. */
function columnsOf(args: Arguments, at: number): readonly string[] | undefined {
  const given = args.value(at);
  if (given === undefined || given === '') return undefined;
  if (!isArray(given)) return [args.text(at)];
  return given.map(name => {
    if (typeof name !== 'string') throw new LuaError('names of key columns must be strings');
    return textOf(name);
  });
}

/** The status, and the body unless it is empty. */
function present({ status, body }: ApiResponse, shown: Shown): readonly LuaValue[] {
  if (!body || body.length === 0) return [status];
  if (shown === 'bytes' || shown === 'text') return [status, bytesOfBuffer(body)];
  const whole = Buffer.from(body).toString('utf8');
  const text = shown === 'lines' && status < 400 ? `[${whole.trimEnd().split('\n').join(',')}]` : whole;
  try {
    return [status, fromJson(JSON.parse(text))];
  } catch {
    return [status, bytesOf(text)];
  }
}
