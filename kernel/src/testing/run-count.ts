/** How often a test with random input runs. */

/** @param few in the default set of tests. @param many when all tests run: `npm run test:all`. */
export function runCount(few: number, many: number): number {
  return process.env['SRV_TEST_ALL'] === '1' ? many : few;
}
