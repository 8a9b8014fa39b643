/** A quarter of the random histories. */
import { testSchedules } from './schedules.js';

testSchedules(0);
