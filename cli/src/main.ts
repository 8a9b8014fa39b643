/** The program `cli`. Without `await` at its top, which CommonJS does not know: its bundle is of that kind. */
import { runCli } from './run.js';

void runCli(process.argv.slice(2)).then(code => {
  process.exitCode = code;
});
