/** More random histories than the default set has time for. */
import { describe, it } from 'node:test';
import { testRandomHistory } from './indexed-histories.js';

describe('the index of a commit', () => {
  for (let i = 2; i < 30; i++) it(`equals a naive listing with the last author of each object, random history ${i}`, testRandomHistory);
});
