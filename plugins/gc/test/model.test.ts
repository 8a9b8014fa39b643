/** Some random histories; the files `model-*.long.test.ts` run many more. */
import { testFewSchedules } from './schedules.js';

testFewSchedules();
