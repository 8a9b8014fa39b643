/** The table of tools, in the order in which they are shown. */
import { isSrvError, messageOf } from '@srv/kernel';
import { commit, deleteObjects, proposeMerge, revert, startBranch, writeObject } from './branches.js';
import { diff, listObjects, listRefs, listRepositories, log } from './listings.js';
import { query } from './query.js';
import { readObject } from './read-object.js';
import { checkInput } from './schema.js';
import { search } from './search.js';
import type { McpContext } from '../context.js';
import type { Tool } from './tool.js';

const tools: readonly Tool[] = [
  listRepositories,
  listRefs,
  listObjects,
  readObject,
  log,
  diff,
  search,
  query,
  startBranch,
  writeObject,
  deleteObjects,
  commit,
  revert,
  proposeMerge,
];

/** Those that the client may call at all. */
export function offeredTools(context: Pick<McpContext, 'settings' | 'isReadOnly' | 'services'>): readonly Tool[] {
  const { settings, isReadOnly } = context;
  const mayWrite = settings.write !== 'none' && !isReadOnly;
  return tools.filter(({ annotations, isOffered }) => (mayWrite || annotations.readOnlyHint) && (isOffered?.(context) ?? true));
}

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/** Refusals are results: the model reads them and corrects itself. @throws what is a fault of the server. */
export async function callTool(context: McpContext, tool: Tool, given: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  const input = checkInput(tool.inputSchema, given);
  if (typeof input === 'string') return refusal(input);
  try {
    context.report(tool.title);
    const data = await tool.run(context, input);
    return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
  } catch (error) {
    const { status, message } = context.http.describe(error);
    if (status >= 500 && status !== 501) {
      context.log.error({ tool: tool.name, error: messageOf(error), request_id: context.face.exchange.requestId }, 'a tool of MCP failed');
    }
    return refusal(isSrvError(error, 'no_changes') ? `${message}; there is nothing to commit` : message);
  }
}

function refusal(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
