/** Operations of the HTTP API, as tools call them. */
import { callOperation } from '@srv/lib-api/http';
import type { AnyInput } from '@srv/lib-api';
import type { McpContext } from '../context.js';

/** @throws SrvError `unsupported` where no plugin offers it, `denied` where the caller may not. */
export function runOperation(context: McpContext, operationId: string, input: AnyInput): Promise<unknown> {
  return callOperation({ ...context, describe: error => context.http.describe(error) }, operationId, input);
}
