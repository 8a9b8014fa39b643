import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, middle, rate, timeOf } from '@srv/test-servers/benchmark';
import { Runner } from '../src/server/runner.js';
import type { Benchmark } from '@srv/test-servers/benchmark';

const sizes = {
  full: { repeat: 5, scripts: 200, loop: 50_000_000, calls: 20_000, prints: 20_000 },
  smoke: { repeat: 1, scripts: 8, loop: 10_000, calls: 100, prints: 100 },
};

/** Scripts of all sorts, those that mean harm among them. */
const mixed = [
  'print("hello")',
  'local t = {} for i = 1, 1e5 do t[i] = i end print(#t)',
  'while true do pcall(function() while true do end end) end',
  'while true do print(("x"):rep(100)) end',
  'local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end',
  'local function f() return 1 + f() end f()',
  'local lakefs = require("lakefs") for i = 1, 200 do lakefs.get_object("r", "main", "o") end',
  'print(pcall(string.rep, "x", 1e9))',
];

/** Milliseconds a script of this benchmark may compute. */
const computing = 300;

export default {
  name: 'lua',
  description: 'Lua hooks: start, speed, calls of the server, and the event loop while scripts that mean harm run',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const runner = new Runner({ computing, memory: 64 << 20 });
    const patient = new Runner();
    const answer = new Uint8Array(1024);
    const run = (script: string, by = patient): Promise<void> =>
      by
        .run({
          job: { script: Buffer.from(script), action: {}, args: {}, username: 'bench', netHttp: false },
          repository: 'lakes',
          signal: new AbortController().signal,
          log: () => undefined,
          call: () => Promise.resolve({ kind: 'answer', status: 200, body: answer.slice() }),
        })
        .catch(() => undefined);
    try {
      const settledMedian = async (repeat: number, script: string): Promise<number> => {
        const times: number[] = [];
        for (let i = 0; i < repeat; i++) {
          await settle(smoke);
          times.push(await timeOf(() => run(script)));
        }
        return middle(times);
      };
      const cold = await timeOf(() => run('return'));
      const start = await settledMedian(size.repeat, 'return');
      const busy = await median(size.repeat, () => run('return'));
      const work = async (script: string): Promise<number> => Math.max(1, (await settledMedian(Math.min(3, size.repeat), script)) - start);
      const loop = await work(`local n = 0 for i = 1, ${size.loop} do n = n + i end`);
      const calls = await work(`local get = require("lakefs").get_object for i = 1, ${size.calls} do get("r", "main", "o") end`);
      const prints = await work(`for i = 1, ${size.prints} do print("a line of some length") end`);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      await sleep(smoke ? 50 : 3000);
      const idle = delay.percentile(99);
      delay.reset();
      const all = await timeOf(() =>
        Promise.all(Array.from({ length: size.scripts }, (_, i) => run(mixed[i % mixed.length] ?? '', runner))),
      );
      delay.disable();
      return [
        { what: 'an empty script, first of the process', value: round(cold), unit: 'ms' },
        { what: 'an empty script, spare thread ready', value: round(start), unit: 'ms' },
        { what: 'an empty script, one right after another', value: round(busy), unit: 'ms' },
        { what: 'additions in a loop', value: rate(size.loop, loop), unit: '/s' },
        { what: 'objects of 1 KiB read, server left out', value: rate(size.calls, calls), unit: '/s' },
        { what: 'lines printed', value: rate(size.prints, prints), unit: '/s' },
        { what: `${size.scripts} scripts, half of them hostile`, value: round(all), unit: 'ms' },
        {
          what: 'event-loop delay meanwhile, p99',
          value: round(delay.percentile(99) / 1e6),
          unit: 'ms',
          ratio: { to: 'the delay while nothing runs', value: delay.percentile(99) / idle },
        },
        { what: 'event-loop delay meanwhile, longest', value: round(delay.max / 1e6), unit: 'ms' },
      ];
    } finally {
      await Promise.all([runner.close(), patient.close()]);
    }
  },
} satisfies Benchmark;

/** The spare thread gets ready meanwhile, as between two commits. */
function settle(smoke: boolean): Promise<void> {
  return sleep(smoke ? 50 : 1500);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
