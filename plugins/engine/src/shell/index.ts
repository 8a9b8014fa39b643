/** What the shells of the command line and of the web page have in common. */
export * from './command-table.js';
export * from './complete.js';
export * from './completed-line.js';
export * from './completer.js';
export * from './current-uri.js';
export * from './formats.js';
export * from './globals.js';
export * from './pipeline.js';
export * from './place-commands.js';
export * from './program.js';
export * from './quotes.js';
export * from './run-words.js';
export * from './shell-table.js';
export * from './streams.js';
export * from './typed-words.js';
export * from './unknown-word.js';
export * from './words.js';
