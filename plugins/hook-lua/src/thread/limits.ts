/**
 * How much modules take on at once, beside the memory and the time of the script (server/limits.ts). JavaScript memory
 * that runs out would end the whole server, not the thread alone, so that everything a script can make modules allocate
 * has a limit well below it.
 */

/** Bytes of strings that one call passes. */
export const maxCallBytes = 128 << 20;
/** Values that one call passes, or one structure holds. */
export const maxValues = 1_000_000;
/** Levels of tables in tables that cross between a script and its modules. */
export const maxDepth = 100;
/** Bytes of a text that is taken apart, or made. */
export const maxText = 32 << 20;
/** Bytes of YAML: its nodes take a hundred times as much. */
export const maxYaml = 2 << 20;
/** Bytes at the end of a Parquet file that say what is in it. */
export const maxFooter = 8 << 20;
/** Bytes of all files of the log of a Delta table. */
export const maxLog = 64 << 20;
/** Characters of a regular expression: what it is compiled to takes more. */
export const maxExpression = 10_000;
/** @bound regular expressions that a script keeps compiled */
export const mostCompiled = 50;
/** Bytes of one `print` that are shown. */
export const maxPrint = 1 << 20;
/** Bytes of output under way: a script that prints faster than the server takes it waits. */
export const maxOutstanding = 128 << 10;
