/** The page part: says where SQL is offered. What it takes is loaded when it is asked for. */
import { isTable } from '../src/model/formats.js';
import type { ComponentType } from 'preact';
import type { Page, ShownObject } from './page.js';

/** Filled in by the bundler. */
declare const VIEW_FILE: string;

interface ViewModule {
  readonly default: (page: Page) => ComponentType<{ readonly object?: ShownObject }>;
}

/** Before the page's own table, which it shows as well. */
const first = 11;

export default function sql(page: Page): void {
  const View = page.later(async () => {
    const view = (await import(/* @vite-ignore */ page.assetUrl(VIEW_FILE))) as ViewModule;
    return view.default(page);
  });
  page.viewer({
    id: 'sql',
    title: 'SQL',
    fits: object => (object.size > 0 && isTable(object) ? first : 0),
    render: object => page.h(View, { key: object.url, object }),
  });
  page.page({ id: 'sql', title: 'SQL', render: () => page.h(View, {}) });
}
