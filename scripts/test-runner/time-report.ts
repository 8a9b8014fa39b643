/** Where the time of a run went, and which files take more than they may. */

import { isLong } from './selection.js';
import type { TimeKind } from '@srv/kernel/testing';
import type { FileResult } from './file-result.js';

/** Seconds of processor time that a file of the default set may take on a quiet machine. */
const budgetSeconds = 10;
/** A machine that runs more than it has processors for stretches processor time, too: caches are shared. */
const stretch = 1.5;
/** On a slower machine a file may take as large a share of the set's processor time as {@link budgetSeconds} are on a quick one, stretched. */
const budgetShare = 1 / 30;
/** Files of the default set that may take longer, with the reason. */
const exceptions: ReadonlyMap<string, string> = new Map([]);

const shown = 15;
const seconds = (value: number): string => `${value.toFixed(1)} s`;
const processor = ({ usage }: FileResult): number => usage?.processor ?? 0;

/** The slowest files, and the sums of all. */
export function timeReport(results: readonly FileResult[]): string {
  const slowest = [...results].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, shown);
  const lines = slowest.map(
    result => `  ${seconds(result.milliseconds / 1000).padStart(8)}  ${seconds(processor(result)).padStart(8)}  ${result.source}\n`,
  );
  const sum = (of: (result: FileResult) => number): string => seconds(results.reduce((total, result) => total + of(result), 0));
  const spent = (kind: TimeKind): string => sum(({ usage }) => usage?.spent[kind] ?? 0);
  const sums = [
    `${sum(({ milliseconds }) => milliseconds / 1000)} in files`,
    `${sum(processor)} of processors`,
    `${spent('servers')} starting servers`,
    `${spent('building')} building`,
    `${spent('waiting')} waiting for timers`,
  ];
  return `\nSlowest files (time, processor time):\n${lines.join('')}Altogether: ${sums.join(', ')}\n`;
}

/** Says which files of the default set take more processor time than they may; `''`: none does. */
export function budgetReport(results: readonly FileResult[]): string {
  const files = results.filter(result => !isLong(result));
  const limit = Math.max(budgetSeconds * stretch, files.reduce((total, file) => total + processor(file), 0) * budgetShare);
  const over = files.filter(file => !exceptions.has(file.source) && processor(file) > limit);
  if (over.length === 0) return '';
  const lines = over.map(result => `  ${result.source}: ${seconds(processor(result))}\n`);
  const remedy = 'make it cheaper, move its slow tests to a file *.long.test.ts, or add it to scripts/test-runner/time-report.ts';
  return `\nMore processor time than the ${budgetSeconds} s that a file of the default set may take; ${remedy}:\n${lines.join('')}`;
}
