/**
 * Loaded before a test file. Each thread that the file starts loads it, too, as do processes that it starts with its own flags:
 * what only the file needs is imported for the file alone, since a server starts several threads.
 */
import { isMainThread } from 'node:worker_threads';

/** Set by node in the process of a test file. */
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined;

if (isMainThread && isTestFile) {
  const { followTestsByContext } = await import('./running-test.js');
  followTestsByContext();
  await import('./test-process.js');
}
