/** The random histories as tests: shared out to files that run beside one another. */
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';

const files = 4;
const total = Number(process.env['SRV_SCHEDULES'] ?? 240);
const few = 8;
/** Mebibytes of objects that do not live long: with less, a tenth of the time goes into collecting them. */
const resourceLimits = { maxYoungGenerationSizeMb: 128 };
const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

/** Registers the schedules of one of the files. @param file from 0. */
export function testSchedules(file: number): void {
  testSeeds(Array.from({ length: total }, (_, i) => firstSeed + i).filter(seed => (seed - firstSeed) % files === file));
}

/** Registers so few schedules that they take some seconds. */
export function testFewSchedules(): void {
  testSeeds(Array.from({ length: few }, (_, i) => firstSeed + i));
}

function testSeeds(seeds: readonly number[]): void {
  it(`nothing readable goes, all garbage goes (SRV_TEST_SEED=${firstSeed}, ${seeds.length} schedules)`, async () => {
    if (seeds.length === 0) return;
    const thread = new Worker(new URL('./model-thread.js', import.meta.url), { workerData: seeds, resourceLimits });
    await new Promise<void>((resolve, reject) => {
      thread.on('error', reject);
      thread.on('exit', code => (code === 0 ? resolve() : reject(new Error(`the thread ended with ${code}`))));
    });
  });
}
