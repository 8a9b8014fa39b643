/** What the shell has said and what it is doing. One for the whole page: it stays when the user moves from view to view. */
import { signal } from '@preact/signals';
import { boot, holdsTypedText, onPersonChange, sessionEnded, startWorker } from '@srv/lib-page/page';
import { redrawsAfter } from '../../src/model/redraw.js';
import { changes } from '../core/changes.js';
import workerUrl from './worker.js?worker&url';
import type { ShellRow } from '../../src/model/shell-rows.js';
import type { FromWorker, ShellEvent, ToWorker, Tone } from '../../src/shell/protocol.js';

export type Block =
  | { readonly kind: 'text'; readonly tone: Tone; readonly text: string }
  | { readonly kind: 'rows'; readonly rows: readonly ShellRow[]; readonly origin?: { readonly repository: string; readonly ref?: string } };

/** A line and its results. */
export interface Entry {
  readonly id: number;
  readonly place: string;
  readonly line: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly blocks: readonly Block[];
}

/** Older ones are forgotten. */
const mostEntries = 200;
const mostHistory = 500;
/** Milliseconds a stopped line may take to end before the worker is replaced. */
const stopPatience = 1500;
/** Lines that may contain a secret are not kept. */
const sensitive = /secret|password|token/i;

export const entries = signal<readonly Entry[]>([]);
/** Repository, ref and folder, as `zoo/main/images/`. */
export const place = signal('');
export const question = signal<string | undefined>(undefined);
/** The line that runs. */
export const running = signal<number | undefined>(undefined);
export const history = signal<readonly string[]>([]);

interface Wishes {
  /** Shows an address in the page. */
  readonly open: (uri: string) => void;
  /** Closes the shell. */
  readonly leave: () => void;
}

let wishes: Wishes = { open: () => undefined, leave: () => undefined };
let worker: Worker | undefined;
let last = 0;
let waiting: readonly string[] = [];
const completions = new Map<number, (found: Completion) => void>();

interface Completion {
  readonly candidates: readonly string[];
  readonly partial: string;
}

/** @param at where the shell begins, when it is not running yet. */
export function openShell(at: string | undefined, made: Wishes): void {
  wishes = made;
  if (!worker) start(at);
}

onPersonChange(forget);

function forget(): void {
  worker?.terminate();
  worker = undefined;
  waiting = [];
  entries.value = [];
  history.value = [];
  running.value = undefined;
  question.value = undefined;
  place.value = '';
}

/** Runs lines one after the other; the first failure ends them. */
export function run(lines: readonly string[]): void {
  waiting = [...waiting, ...lines];
  if (running.value === undefined) next();
}

function next(): void {
  const [line, ...rest] = waiting;
  waiting = rest;
  if (line === undefined) return;
  if (line.trim() !== '' && !sensitive.test(line) && history.value.at(-1) !== line)
    history.value = [...history.value, line].slice(-mostHistory);
  if (line.trim() === 'clear') {
    entries.value = [];
    next();
    return;
  }
  const id = ++last;
  entries.value = [...entries.value, { id, place: place.value, line, state: 'running', blocks: [] } satisfies Entry].slice(-mostEntries);
  running.value = id;
  post({ kind: 'run', id, line });
}

export function clear(): void {
  entries.value = entries.value.filter(({ state }) => state === 'running');
}

/** Ends the running line, even in the middle of a computation. */
export function stop(): void {
  const id = running.value;
  if (id === undefined) return;
  waiting = [];
  post({ kind: 'stop' });
  setTimeout(() => {
    if (running.value !== id) return;
    worker?.terminate();
    say(id, { kind: 'text', tone: 'error', text: 'It did not stop in time: the shell was restarted, without its variables.' });
    finish(id, true);
    start(place.value === '' ? undefined : `srv://${place.value}`);
  }, stopPatience);
}

export function answer(agreed: boolean): void {
  question.value = undefined;
  post({ kind: 'answer', agreed });
}

export function moveTo(uri: string): void {
  post({ kind: 'place', uri });
}

export function complete(line: string): Promise<Completion> {
  const id = ++last;
  return new Promise(resolve => {
    completions.set(id, resolve);
    post({ kind: 'complete', id, line });
  });
}

function start(at: string | undefined): void {
  question.value = undefined;
  for (const resolve of completions.values()) resolve({ candidates: [], partial: '' });
  completions.clear();
  worker = startWorker(new URL(workerUrl, import.meta.url).href);
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => hear(data));
  worker.addEventListener('error', event => {
    event.preventDefault();
    const id = running.value ?? ++last;
    if (running.value === undefined) entries.value = [...entries.value, { id, place: '', line: '', state: 'running', blocks: [] }];
    say(id, {
      kind: 'text',
      tone: 'error',
      text: `The shell cannot be started: ${event.message || 'its files are gone'}. Reload the page.`,
    });
    finish(id, true);
  });
  const { version, operations, shell } = boot;
  post({ kind: 'start', boot: { version, operations, base: document.baseURI, ...shell, ...(at === undefined ? {} : { place: at }) } });
}

function post(message: ToWorker): void {
  worker?.postMessage(message);
}

function hear(message: FromWorker): void {
  if (message.kind === 'event') say(message.id, message.event);
  else if (message.kind === 'moved') place.value = message.place;
  else if (message.kind === 'ask') question.value = message.question;
  else if (message.kind === 'session-over') sessionEnded();
  else if (message.kind === 'completed') {
    completions.get(message.id)?.(message);
    completions.delete(message.id);
  } else if (message.kind === 'done') {
    place.value = message.place;
    finish(message.id, message.failed);
    if (redrawsAfter(message.changed, { pathname: location.pathname, hasTypedText: holdsTypedText() })) changes.value++;
    if (message.failed) waiting = [];
    else next();
  } else if (message.problems.length > 0) {
    const blocks = message.problems.map(text => ({ kind: 'text', tone: 'error', text }) as const);
    entries.value = [...entries.value, { id: ++last, place: '', line: '', state: 'failed', blocks }];
  }
}

function say(id: number, event: ShellEvent): void {
  if (event.kind === 'open') wishes.open(event.uri);
  else if (event.kind === 'leave') wishes.leave();
  else change(id, entry => ({ ...entry, blocks: added(entry.blocks, event) }));
}

/** Rows continue the table before them. */
function added(blocks: readonly Block[], event: Extract<ShellEvent, { readonly kind: 'text' | 'rows' }>): readonly Block[] {
  const before = blocks.at(-1);
  if (event.kind === 'text' || before?.kind !== 'rows') return [...blocks, event];
  return [...blocks.slice(0, -1), { ...before, rows: before.rows.concat(event.rows) }];
}

function finish(id: number, failed: boolean): void {
  question.value = undefined;
  running.value = undefined;
  change(id, entry => ({ ...entry, state: failed ? 'failed' : 'done' }));
}

function change(id: number, made: (entry: Entry) => Entry): void {
  entries.value = entries.value.map(entry => (entry.id === id ? made(entry) : entry));
}
