/** What a command's output goes through: filters of its items, then a program. */
import { UsageError, WholeList, isWholeList } from '@srv/lib-commands';
import { isBytes, isStream } from './streams.js';

/** Whether an item stays. */
export type Filter = (item: unknown) => boolean;

export interface Pipeline {
  readonly filters: readonly Filter[];
  /** A line for `sh`; absent: the output goes where it goes without a pipeline. */
  readonly program?: string;
}

export const noPipeline: Pipeline = { filters: [] };

/**
 * @param stages texts after the bars: any number of `where EXPRESSION`, then a program and what it is piped to.
 * @param compile makes a filter of a JavaScript expression over the fields of an item.
 * @throws UsageError for a filter without expression, after a program, or with invalid JavaScript.
 */
export function readPipeline(stages: readonly string[], compile: (expression: string) => Filter): Pipeline {
  const filters: Filter[] = [];
  const programs: string[] = [];
  for (const stage of stages) {
    const [, word = '', expression = ''] = /^(\S*)\s*(.*)$/s.exec(stage) ?? [];
    if (word === '') throw new UsageError('nothing follows |: give a program such as grep, or where with an expression');
    if (word !== 'where') programs.push(stage);
    else if (programs.length > 0) throw new UsageError(`| where ${expression}: filters come before programs, which see text and no items`);
    else if (expression === '') throw new UsageError("| where needs an expression over an item's fields, such as size_bytes > 1000");
    else filters.push(compile(expression));
  }
  return { filters, ...(programs.length > 0 ? { program: programs.join(' | ') } : {}) };
}

/** The items that stay: of a stream, a list, or the results of a list answer. One item alone stays or is nothing. */
export function filtered(data: unknown, filters: readonly Filter[]): unknown {
  if (filters.length === 0 || data === undefined || isBytes(data)) return data;
  const stays: Filter = item => filters.every(filter => filter(item));
  if (isWholeList(data)) return new WholeList(filteredStream(data, stays));
  if (isStream(data)) return filteredStream(data, stays);
  if (Array.isArray(data)) return data.filter(stays);
  const { results } = Object(data) as { results?: unknown };
  if (Array.isArray(results)) return { ...Object(data), results: results.filter(stays) };
  return stays(data) ? data : undefined;
}

async function* filteredStream(items: AsyncIterable<unknown>, stays: Filter): AsyncGenerator<unknown> {
  for await (const item of items) if (stays(item)) yield item;
}
