/** More random histories than the default set has time for. */
import { describe, it } from 'node:test';
import { testRandomHistory } from './indexed-histories.js';

describe('the index of a commit', () => {
  for (let i = 0; i < 28; i++) {
    const rangeEntries = i % 2 === 0 ? 6 : 40;
    it(`equals a naive listing with the last author of each object, random history ${i} with ranges of ${rangeEntries}`, t =>
      testRandomHistory(t, rangeEntries));
  }
});
