/** An operation as a client needs it: `[method, path, names of the query, names of headers, kind of body, kind of result]` */
export type OperationRow = readonly [string, string, readonly string[], readonly string[], 'none' | 'json' | 'stream', string];
