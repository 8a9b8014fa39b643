/** All combinations of transport, signature and operation. */
import { testMatrix } from './support/signature-matrix.js';

testMatrix({ combination: () => true, withWrongSecret: () => true });
