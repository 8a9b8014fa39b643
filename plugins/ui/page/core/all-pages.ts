/** Lists that are searched as a whole. */

interface Page<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

/** Every item of a list, page by page. */
export async function* allOf<T>(load: (after: string) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let after = '';
  for (;;) {
    const { results, pagination } = await load(after);
    yield results;
    if (!pagination.has_more) return;
    after = pagination.next_offset;
  }
}
