/** The reader of tables, which is loaded when a query first needs it. */
export { memorySource } from '@srv/lib-records/tables/byte-source';
export { openTable } from '@srv/lib-records/tables/open-table';
