/** Whether differences of an object are shown by rows, so that its lines are rows of a table. */
export const isTablePath = (path: string): boolean => /\.(?:csv|tsv|parquet|jsonl|ndjson)$/i.test(path);
