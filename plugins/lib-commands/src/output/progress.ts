/** A progress bar on standard error that stays away from short work. */
import type { SingleBar } from 'cli-progress';

export interface ProgressBar {
  /** More to do: files and bytes. */
  expect(bytes: number, files?: number): void;
  advance(bytes: number): void;
  fileDone(): void;
  /** Lets `write` write a line where the bar is; the bar continues below it. */
  aside(write: () => void): void;
  stop(): void;
}

export const noProgress: ProgressBar = { expect() {}, advance() {}, fileDone() {}, aside: write => write(), stop() {} };

/** Work shorter than this draws nothing. */
const delayMs = 1000;

export function drawProgress(title: string): ProgressBar {
  const state = { bytes: 0, total: 0, files: 0, allFiles: 0, stopped: false };
  let bar: SingleBar | undefined;
  const payload = () => ({ title, files: `${state.files}/${state.allFiles} files` });
  const timer = setTimeout(() => {
    void import('cli-progress').then(({ default: progress }) => {
      if (state.stopped) return;
      bar = new progress.SingleBar({
        format: '{title} [{bar}] {percentage}% {files} {eta_formatted}',
        stream: process.stderr,
        hideCursor: true,
        clearOnComplete: true,
      });
      bar.start(Math.max(1, state.total), state.bytes, payload());
    });
  }, delayMs);
  timer.unref();
  const draw = (): void => {
    bar?.setTotal(Math.max(1, state.total));
    bar?.update(state.bytes, payload());
  };
  return {
    expect: (bytes, files = 1) => {
      state.total += bytes;
      state.allFiles += files;
      draw();
    },
    advance: bytes => {
      state.bytes += bytes;
      draw();
    },
    fileDone: () => {
      state.files++;
      draw();
    },
    aside: write => {
      // While there is a bar, lines do not wrap.
      if (bar) process.stderr.write('\r\u001b[K\u001b[?7h');
      write();
      if (bar) process.stderr.write('\u001b[?7l');
    },
    stop: () => {
      if (state.stopped) return;
      state.stopped = true;
      clearTimeout(timer);
      bar?.stop();
    },
  };
}
