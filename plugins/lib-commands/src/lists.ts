/** Lists that the server returns in pages. */
import { UsageError } from './failures.js';
import { pastedWord } from './output/text.js';
import type { CommandInput, CommandOption } from './arguments.js';
import type { CommandContext } from './context.js';

/** What is asked for when no amount is given. */
const usualAmount = 100;
/** The API's largest page. */
const largestPage = 1000;

/** Options of commands that print {@link listed}. */
export const paginationOptions: readonly CommandOption[] = [
  { name: 'after', type: 'string', description: 'show results after this value (used for pagination)' },
  { name: 'all', type: 'bool', default: false, description: 'return all results' },
  { name: 'amount', type: 'int', default: usualAmount, description: 'how many results to return; in scripts all unless given' },
  { name: 'prefix', type: 'string', description: 'filter results by prefix (used for pagination)' },
];

export interface PageQuery {
  readonly amount: number;
  readonly after?: string;
  readonly prefix?: string;
}

export interface ResultPage<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

/** Several copies of this package may run together: lists are known by a mark. */
const wholeMark = Symbol.for('srv.whole-list');

/** All results, read page by page as they are taken. It stands where a page may stand, without holding any result. */
export class WholeList<T> implements ResultPage<T>, AsyncIterable<T> {
  readonly [wholeMark] = true;
  readonly results: readonly T[] = [];
  readonly pagination = { has_more: false, next_offset: '' };
  readonly #items: AsyncIterable<T>;

  constructor(items: AsyncIterable<T>) {
    this.#items = items;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.#items[Symbol.asyncIterator]();
  }
}

export function isWholeList(data: unknown): data is WholeList<unknown> {
  return typeof data === 'object' && data !== null && wholeMark in data;
}

/** The pagination options as the API takes them. */
export function pageQuery({ options }: CommandInput): PageQuery {
  const { amount, after, prefix } = options;
  return {
    amount: typeof amount === 'number' ? amount : usualAmount,
    ...(after ? { after: String(after) } : {}),
    ...(prefix ? { prefix: String(prefix) } : {}),
  };
}

/**
 * The page that {@link paginationOptions} ask for, with a hint how to see more; with `--all`, and where
 * `context.wholeLists` is set and no amount is given, the whole list.
 */
export async function listed<T>(
  context: CommandContext,
  input: CommandInput,
  page: (query: PageQuery) => Promise<ResultPage<T>>,
): Promise<ResultPage<T>> {
  const all = input.options.all === true;
  const hasAmount = input.given?.includes('amount') === true;
  if (all && hasAmount) throw new UsageError('--all and --amount exclude each other');
  const query = pageQuery(input);
  if (!all && (hasAmount || !context.wholeLists)) return hintMore(context, await page(query), query.amount);
  return new WholeList(everything(next => page({ ...query, ...next }), largestPage, query.after));
}

/** Says how to see more when there is more. */
function hintMore<T>({ tell, terminal }: CommandContext, page: ResultPage<T>, amount: number): ResultPage<T> {
  const { has_more: more, next_offset: offset } = page.pagination;
  if (more) tell(`for more results run with ${terminal.colours.yellowBright(`--amount ${amount} --after ${pastedWord(offset)}`)}`);
  return page;
}

/** Every item of a paged list, page by page. */
export async function* everything<T>(
  page: (query: { readonly amount: number; readonly after?: string }) => Promise<ResultPage<T>>,
  amount = largestPage,
  begin = '',
): AsyncGenerator<T> {
  for (let after = begin; ; ) {
    const { results, pagination } = await page({ amount, ...(after === '' ? {} : { after }) });
    yield* results;
    if (!pagination.has_more) return;
    after = pagination.next_offset;
  }
}
