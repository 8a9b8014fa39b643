/** The hook type `lua`. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { actionTable } from './action-table.js';
import { defaultLimits } from './limits.js';
import { luaProperties } from './properties.js';
import { answerCall } from './script-calls.js';
import { fillArgs } from './secrets.js';
import type { Activity, Logger, User } from '@srv/kernel';
import type { HookRequest, HookType } from '@srv/lib-api/hook-types';
import type { CallParts } from './operation-call.js';
import type { LuaProperties } from './properties.js';
import type { Runner } from './runner.js';
import type { FilledArgs } from './secrets.js';

interface LuaHookParts {
  readonly runner: () => Runner;
  readonly netHttp: () => boolean;
  readonly log: Logger;
  readonly operations: CallParts['operations'];
  /** For statistics. */
  readonly count: (activity: Activity) => void;
}

export function luaHook({ runner, netHttp, log, operations, count }: LuaHookParts): HookType<LuaProperties> {
  return {
    properties: luaProperties,
    async run(request) {
      const { event, properties, services, signal } = request;
      if (!event.user) throw new SrvError('invalid', 'user not found');
      // The name is what decides about rights; no operation here shows more of a user.
      const user: User = { username: event.user, createdAt: new Date(0) };
      const parts: CallParts = { services, log, operations, maxBody: defaultLimits.body };
      const script = await sourceOf(request, user, parts);
      const { args, mask } = fill(request);
      try {
        await runner().run({
          job: { script, action: actionTable(request), args, username: user.username, netHttp: netHttp() },
          repository: event.repository,
          timeout: properties.timeout,
          signal,
          log: bytes => request.log(bytes),
          loading: name => count({ class: 'lua_hooks', name, repository: event.repository, ref: event.sourceRef, user: user.username }),
          call: (call, stop) => answerCall(call, user, stop, parts),
        });
      } catch (error) {
        throw new SrvError(isSrvError(error) ? error.code : 'internal', mask(messageOf(error)));
      }
    },
  };
}

/** The script in the properties, or the object they name, read with the rights of the user. */
async function sourceOf({ properties, event, signal }: HookRequest<LuaProperties>, user: User, parts: CallParts): Promise<Uint8Array> {
  if (properties.script !== '') return Buffer.from(properties.script);
  const input = { repository: event.repository, ref: event.sourceRef, path: properties.scriptPath };
  const reply = await answerCall({ operation: 'getObject', input }, user, signal, parts);
  if (reply.kind !== 'answer' || reply.status !== 200) {
    const status = reply.kind === 'answer' ? reply.status : 500;
    throw new SrvError('invalid', `could not load script_path ${properties.scriptPath}: HTTP ${status}: invalid action`);
  }
  return reply.body ?? new Uint8Array();
}

function fill({ properties, env }: HookRequest<LuaProperties>): FilledArgs {
  try {
    return fillArgs(properties.args, env);
  } catch (error) {
    throw new SrvError('invalid', `error parsing args: ${messageOf(error)}`, { cause: error });
  }
}
