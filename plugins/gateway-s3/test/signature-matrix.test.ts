/** Each two of transport, signature and operation once; `signature-matrix.long` tries all combinations of the three. */
import { testMatrix } from './support/signature-matrix.js';
import { transports } from './support/transport.js';

const count = Object.keys(transports).length;

testMatrix({
  combination: (transport, kind, operation) => (kind + operation) % count === transport,
  withWrongSecret: operation => operation % 10 === 0,
});
