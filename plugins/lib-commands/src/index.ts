/** Everything a command is written with. */

export * from './context.js';
export * from './define.js';
export * from './failures.js';
export * from './lists.js';
export * from './messages.js';
export * from './options.js';
export * from './output/aligned.js';
export * from './output/commits.js';
export * from './output/progress.js';
export * from './output/table.js';
export * from './output/terminal.js';
export * from './output/text.js';
export * from './parallel.js';
export * from './read-named.js';
export * from './replace-file.js';
export * from './tasks.js';
export * from './uri.js';
export type * from './arguments.js';
export type * from './command.js';
