/** Started by the test runner: the browser that the files of a run share. Prints where it is, and runs until its input ends. */
import { openSharedChromium } from './chromium.js';

const { endpoint, close } = await openSharedChromium();
process.stdout.write(`${endpoint}\n`);
process.stdin.resume();
process.stdin.on('end', () => void close().finally(() => process.exit()));
