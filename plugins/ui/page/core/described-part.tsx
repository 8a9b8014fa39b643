/** Adds what the description of a page part names. */
import { later, registry, storage } from '@srv/lib-page/page';
import { chosenFor } from '../../src/model/custom-viewer.js';
import type { BuiltDescription } from '@srv/lib-page';
import type {
  ActionDialogProps,
  BranchGuard,
  ComparisonProps,
  Finder,
  RefusalProps,
  RepositoryPlace,
  ShownObject,
} from '@srv/lib-page/page';
import type { ComponentType } from 'preact';

/** @param assets address of the folder of its files, with a trailing slash. */
export function addDescription(assets: string, description: BuiltDescription): void {
  const {
    tabs = [],
    pages = [],
    viewers = [],
    panels = [],
    actions = [],
    guards = [],
    finders = [],
    comparisons = [],
    refusals = [],
    styles = {},
  } = description;
  const load = async <T,>(file: string): Promise<T> => {
    const module = import(/* @vite-ignore */ assets + file) as Promise<{ readonly default: T }>;
    await Promise.all((styles[file] ?? []).map(name => addStyle(assets + name)));
    return (await module).default;
  };
  const view = <P extends object>(file: string) => later<P>(() => load<ComponentType<P>>(file));

  for (const { view: file, ...tab } of tabs) {
    const View = view<RepositoryPlace>(file);
    registry.tab({ ...tab, render: place => <View {...place} /> });
  }
  for (const { view: file, ...page } of pages) {
    const View = view<{ readonly rest: readonly string[] }>(file);
    registry.page({ ...page, render: rest => <View rest={rest} /> });
  }
  for (const { view: file, fits, ...viewer } of viewers) {
    const View = view<{ readonly object: ShownObject }>(file);
    const kinds = { extensions: fits.extensions, content_types: fits.contentTypes };
    registry.viewer({
      ...viewer,
      fits: object => (object.size > 0 && chosenFor(kinds, object) ? fits.rank : 0),
      render: object => <View key={object.url} object={object} />,
    });
  }
  for (const { view: file, ...panel } of panels) {
    const View = view<RepositoryPlace>(file);
    registry.panel({ ...panel, render: place => <View {...place} /> });
  }
  for (const { dialog, href, needs, ...action } of actions) {
    const Dialog = dialog === undefined ? undefined : view<ActionDialogProps>(dialog);
    registry.action({
      ...action,
      ...(needs
        ? {
            off: ({ repository }: Readonly<Record<string, string>>) =>
              storage(repository)?.[needs.storage] === true ? undefined : needs.otherwise,
          }
        : {}),
      ...(href === undefined ? {} : { href: at => filled(href, at) }),
      ...(Dialog ? { dialog: (props: ActionDialogProps) => <Dialog {...props} /> } : {}),
    });
  }
  for (const file of guards) registry.guard(assets + file, async (...at) => (await load<BranchGuard>(file))(...at));
  for (const file of finders) registry.finder(assets + file, async (...at) => (await load<Finder>(file))(...at));
  for (const { view: file, ...comparison } of comparisons) {
    const View = view<ComparisonProps>(file);
    registry.comparison({ ...comparison, render: props => <View {...props} /> });
  }
  for (const { view: file, status } of refusals) {
    const View = view<RefusalProps>(file);
    registry.refusalNote({ id: assets + file, status, render: props => <View {...props} /> });
  }
}

const added = new Map<string, Promise<void>>();

/** A style sheet that cannot be loaded does not keep the view away. */
function addStyle(href: string): Promise<void> {
  const before = added.get(href);
  if (before) return before;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  const adding = new Promise<void>(resolve => {
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
  added.set(href, adding);
  return adding;
}

const filled = (address: string, at: Readonly<Record<string, string>>): string =>
  address.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? ''));
