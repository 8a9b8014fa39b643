/** Formats of tables in files. */
export const tableFormats = ['parquet', 'delimited', 'json-lines', 'arrow', 'avro'] as const;
export type TableFormat = (typeof tableFormats)[number];
