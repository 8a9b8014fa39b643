/** The process of the jobs of `job-process.test`. */
import { serveJob, watchMemory } from '../src/job-process/serve.js';

interface TestJob {
  readonly kind: 'echo' | 'ask' | 'exit' | 'abort' | 'wait' | 'fill';
  readonly text?: string;
}

const held: Buffer[] = [];

serveJob(({ kind, text }: TestJob, { answer, ask }) => {
  if (kind === 'echo') answer([text, process.cwd(), Object.keys(process.env).filter(name => name === 'TEST_SECRET')]);
  else if (kind === 'ask')
    void ask('first')
      .then(() => ask('second'))
      .then(() => answer('asked'));
  else if (kind === 'exit') process.exit(3);
  else if (kind === 'abort') process.abort();
  else if (kind === 'fill') {
    watchMemory(process.memoryUsage.rss() + (64 << 20), () => answer('too much'));
    setInterval(() => held.push(Buffer.alloc(16 << 20, 1)), 5);
  } else setInterval(() => undefined, 1000);
});
