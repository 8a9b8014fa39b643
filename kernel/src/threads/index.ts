/** What owners of worker threads and the threads need. Loaded in every thread: it must stay small. */
export { postLast } from './post-last.js';
export { SpareThreads } from './spare-threads.js';
