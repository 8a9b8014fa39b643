/** What a person reads: one line per file, failures in full, the skipped tests with their reasons. */
import { inspect } from 'node:util';
import { withSourcePositions } from './source-positions.js';
import type { FileResult } from './file-result.js';

export function fileReport(result: FileResult): string {
  const counts = [
    `${result.passed} passed`,
    ...(result.failed ? [`${result.failures.length} failed`] : []),
    ...(result.skips.length > 0 ? [`${result.skips.length} skipped`] : []),
    ...(result.todo > 0 ? [`${result.todo} to do`] : []),
  ];
  const processor = result.usage === undefined ? '' : `, ${result.usage.processor.toFixed(1)} s of processors`;
  const time = `${(result.milliseconds / 1000).toFixed(1)} s${processor}`;
  const line = `${result.failed ? 'FAIL' : 'ok  '} ${result.source}  ${counts.join(', ')}  ${time}\n`;
  const noted = line + result.notes.map(note => `     ${note}\n`).join('');
  return result.failed ? noted + withSourcePositions(failures(result)) : noted;
}

function failures({ source, failures, output }: FileResult): string {
  const told = failures.map(({ path, error }) => {
    const title = path.length > 0 ? path.join(' > ') : 'the file as a whole';
    return `\n  x ${title}\n    ${source}\n${indent(errorText(error), 4)}\n`;
  });
  const printed = output.trim();
  return `${told.join('')}${printed === '' ? '' : `\n  what the file printed:\n${indent(printed, 4)}\n`}\n`;
}

/** The runner wraps what the test threw. */
function errorText(error: Error | string | undefined): string {
  if (error === undefined) return 'it failed without an error';
  const thrown = error instanceof Error && 'failureType' in error && error.cause !== undefined ? error.cause : error;
  if (typeof thrown === 'string') return thrown;
  // The message of such an assertion already shows both values.
  if (thrown instanceof Error && 'generatedMessage' in thrown && thrown.generatedMessage === true) return thrown.stack ?? thrown.message;
  return inspect(thrown, { depth: 6, breakLength: 140 });
}

/** @returns `''` when nothing was skipped. */
export function skipReport(results: readonly FileResult[]): string {
  const lines = results.flatMap(({ source, skips }) =>
    skips.map(({ path, reason }) => `  ${source}: ${path.join(' > ')}: ${reason === '' ? 'no reason given' : reason}\n`),
  );
  return lines.length === 0 ? '' : `\nSkipped:\n${lines.join('')}`;
}

function indent(text: string, columns: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(columns));
}

/** The closing lines of node's runner, summed up over all files. */
export function closingReport(results: readonly FileResult[], milliseconds: number): string {
  const totals = new Map<string, number>();
  for (const line of results.flatMap(({ closing }) => closing)) {
    const [, name, count] = /^(\w+) ([\d.]+)$/.exec(line) ?? [];
    if (name !== undefined && name !== 'duration_ms') totals.set(name, (totals.get(name) ?? 0) + Number(count));
  }
  return [...totals, ['duration_ms', Math.round(milliseconds)]].map(([name, count]) => `# ${name} ${count}\n`).join('');
}
