/** What plugins bring. Descriptions add to the page at once, and their views are loaded when they are drawn; modules are loaded with the page. */

import { signal } from '@preact/signals';
import {
  Alert,
  Button,
  Content,
  DataTable,
  Empty,
  Failed,
  Loading,
  With,
  agoText,
  ask,
  boot,
  later,
  messageOf,
  notify,
  objectUrl,
  onPersonChange,
  registry,
  send,
  sizeText,
  startWorker,
  useAsync,
} from '@srv/lib-page/page';
import { Fragment, h } from 'preact';
import * as hooks from 'preact/hooks';
import { addDescription } from './described-part.js';

const assetsOf = (plugin: string) => new URL(`assets/${plugin}/`, document.baseURI).href;

/** What every module gets. Documented in the plugin's README; everything in it is kept working. */
const pageForParts = {
  ...registry,
  h,
  Fragment,
  hooks,
  /** The result of an operation of the API, by its id and its parameters. */
  call: ask,
  objectUrl,
  useAsync,
  notify,
  /** The answer itself, once it is known to be good: for bytes. */
  send,
  onPersonChange,
  later,
  parts: { Alert, Button, Empty, Failed, Loading, With, DataTable, Content },
  format: { size: sizeText, ago: (seconds: number) => agoText(seconds, Date.now()) },
};

const modules = boot.parts.flatMap(({ plugin, file }) => (file === undefined ? [] : [{ plugin, file }]));

/** False while modules are being loaded: until then an unknown tab may still come. */
export const partsLoaded = signal(modules.length === 0);

const failed = (plugin: string, error: unknown): void =>
  notify(`The page part of plugin ${plugin} does not work: ${messageOf(error)}`, 'failed');

/** One that fails does not take the page with it. */
export async function loadPageParts(): Promise<void> {
  for (const { plugin, description } of boot.parts) {
    try {
      if (description) addDescription(assetsOf(plugin), description);
    } catch (error) {
      failed(plugin, error);
    }
  }
  await Promise.all(
    modules.map(async ({ plugin, file }) => {
      try {
        const module = (await import(/* @vite-ignore */ new URL(`assets/${file}`, document.baseURI).href)) as {
          readonly default?: unknown;
        };
        if (typeof module.default !== 'function') throw new Error('its default export is not a function');
        const assetUrl = (name: string): string => assetsOf(plugin) + name;
        module.default({ ...pageForParts, assetUrl, startWorker: (name: string) => startWorker(assetUrl(name)) });
      } catch (error) {
        failed(plugin, error);
      }
    }),
  );
  partsLoaded.value = true;
}
