/** Queries that were run since the page was opened, the newest first. They are kept in memory only. */

const most = 50;
let past: readonly string[] = [];

export function pastQueries(): readonly string[] {
  return past;
}

export function rememberQuery(query: string): void {
  if (query.trim() !== '') past = [query, ...past.filter(each => each !== query)].slice(0, most);
}

export function forgetQueries(): void {
  past = [];
}
