/** How long a page holds its browser up, in time of the processor: what else the machine does counts little. */
import type { BrowserContext, Page } from '@srv/test-servers/chromium';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: unknown;
}

/** @returns milliseconds of the longest task of the page's main thread while `act` lasts. */
export async function busiestTask(context: BrowserContext, page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await context.newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as readonly TraceEvent[])));
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'v8'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: categories } });
  await act();
  const complete = new Promise(resolve => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  // Other processes of the browser have main threads, too: this one compiles the script of the page.
  const own = events.find(({ name, args }) => name === 'v8.compileModule' && JSON.stringify(args).includes('/assets/index-'));
  const tasks = events.filter(({ name, pid, tid }) => pid === own?.pid && tid === own.tid && name.endsWith('RunTask'));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
