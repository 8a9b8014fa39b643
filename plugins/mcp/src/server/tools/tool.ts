/** A tool: what clients see of it, and what it does. */
import type { McpContext } from '../context.js';
import type { InputSchema, ToolInput } from './schema.js';

export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: Annotations;
  /** Absent: always. */
  isOffered?(context: Pick<McpContext, 'services'>): boolean;
  /** @returns the result as data. Errors become results that the model can read. */
  run(context: McpContext, input: ToolInput): Promise<object>;
}

export const reading: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const adding: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const destroying: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
