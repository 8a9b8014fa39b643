/** Links to the parts of a section, in a row that can be longer than the window is wide. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.js';
import type { IconName } from './icon.js';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabLink[];
  /** Id of the tab that is shown. */
  readonly open: string | undefined;
  readonly class?: string;
}

interface TabLink {
  readonly id: string;
  readonly title: string;
  readonly href: string;
  readonly icon?: IconName | undefined;
}

export function Tabs({ label, tabs, open, class: style = 'tabs' }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    let waiting = 0;
    const soon = (): void => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        if (row.current) showOpen(row.current);
      });
    };
    soon();
    addEventListener('resize', soon);
    return () => {
      removeEventListener('resize', soon);
      cancelAnimationFrame(waiting);
    };
  }, [open, tabs.length]);
  return (
    <nav class={style} aria-label={label} ref={row}>
      {tabs.map(({ id, title, href, icon }) => (
        <a key={id} href={href} aria-current={id === open ? 'page' : undefined}>
          {icon && <Icon name={icon} />}
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Puts the open tab in the middle of the row, as far as the row goes. */
function showOpen(row: HTMLElement): void {
  const tab = row.querySelector('[aria-current]');
  if (!tab || row.scrollWidth <= row.clientWidth) return;
  const [inner, outer] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}
