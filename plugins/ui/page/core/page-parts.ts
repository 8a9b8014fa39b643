/** Loads what plugins bring. One that fails does not take the page with it. */
import { Fragment, h } from 'preact';
import * as hooks from 'preact/hooks';
import { signal } from '@preact/signals';
import { boot } from './boot.js';
import { ask, objectUrl, send } from './client.js';
import { registry } from './registry.js';
import { notify } from './notices.js';
import { useAnswer } from './answer.js';
import { onPersonChange } from './person.js';
import { startWorker } from './start-worker.js';
import { messageOf } from './client.js';
import { Button } from '../parts/button.js';
import { Alert, Empty, Failed, Loading, With } from '../parts/states.js';
import { later } from '../parts/lazy.js';
import { agoText, sizeText } from '../../src/model/text.js';

/** Address of a file that came with a part, in the folder `assets` beside its module. */
const assetUrl =
  (plugin: string) =>
  (name: string): string =>
    new URL(`assets/${plugin}/${name}`, document.baseURI).href;

/** What every page part gets. Documented in the plugin's README; everything in it is kept working. */
const pageForParts = {
  ...registry,
  h,
  Fragment,
  hooks,
  /** The result of an operation of the API, by its id and its parameters. */
  call: ask,
  objectUrl,
  useAnswer,
  notify,
  /** The answer itself, once it is known to be good: for bytes. */
  send,
  onPersonChange,
  later,
  parts: {
    Alert,
    Button,
    Empty,
    Failed,
    Loading,
    With,
    /** Rows with columns, to filter and sort. */
    DataTable: later(() => import('../views/object/data-table.js').then(module => module.DataTable)),
    /** What else shows an object. */
    Content: later(() => import('../views/object/content.js').then(module => module.Content)),
  },
  format: { size: sizeText, ago: (seconds: number) => agoText(seconds, Date.now()) },
};

/** Whether all parts had their say: until then an unknown tab may still come. */
export const partsLoaded = signal(boot.parts.length === 0);

export async function loadPageParts(): Promise<void> {
  await Promise.all(
    boot.parts.map(async ({ plugin, file }) => {
      try {
        const module = (await import(/* @vite-ignore */ new URL(`assets/${file}`, document.baseURI).href)) as {
          readonly default?: unknown;
        };
        if (typeof module.default !== 'function') throw new Error('its default export is not a function');
        const ownAsset = assetUrl(plugin);
        module.default({ ...pageForParts, assetUrl: ownAsset, startWorker: (name: string) => startWorker(ownAsset(name)) });
      } catch (error) {
        notify(`The page part of plugin ${plugin} does not work: ${messageOf(error)}`, 'failed');
      }
    }),
  );
  partsLoaded.value = true;
}
