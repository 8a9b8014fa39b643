/** What plugin authors test with: a booted kernel, a key-value store in memory, and small helpers. */
export { collect, rejectsWith } from './expect.js';
export { filesBelow } from './files-below.js';
export { heldBytes } from './held-bytes.js';
export { HeldPeak } from './held-peak.js';
export { MemoryKvStore } from './memory-kv-store.js';
export { needsProgram } from './needs-program.js';
export { printNow } from './print-now.js';
export { seededRandom } from './random.js';
export { runCount } from './run-count.js';
export { scratchFolder } from './scratch-folder.js';
export { spent, timeMeter } from './spent.js';
export { createTestKernel } from './test-kernel.js';
export { until } from './until.js';
export type { SeededRandom } from './random.js';
export type { TimeKind, TimeMeter } from './spent.js';
export type { TestKernelOptions } from './test-kernel.js';
