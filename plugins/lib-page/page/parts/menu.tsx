/** A button with a list of actions. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';
import type { ComponentChildren } from 'preact';
import type { ButtonProps } from './button.js';
import type { IconName } from './icon.js';

export type MenuItem =
  | 'line'
  | {
      readonly text: ComponentChildren;
      readonly icon?: IconName;
      readonly danger?: boolean;
      /** Why it cannot be chosen now. */
      readonly off?: string | false | undefined;
      readonly href?: string;
      readonly download?: string;
      readonly act?: () => void;
    };

/** A box beside its button: opens on click, closes on Escape, on a click elsewhere and when the focus leaves. */
export function usePopover() {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    const button = anchor.current;
    if (!open || !element || !button) return;
    element.showPopover();
    const place = (): void => {
      const { bottom, top, left, right } = button.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = element;
      const x = left + width > innerWidth - 8 ? Math.max(8, right - width) : left;
      const y = bottom + 4 + height > innerHeight && top > height ? top - height - 4 : bottom + 4;
      element.style.left = `${Math.min(x, Math.max(8, innerWidth - width - 8))}px`;
      element.style.top = `${y}px`;
    };
    place();
    const toggled = (event: Event): void => {
      if ('newState' in event && event.newState === 'closed') setOpen(false);
    };
    element.addEventListener('toggle', toggled);
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    return () => {
      element.removeEventListener('toggle', toggled);
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
    };
  }, [open]);
  const close = (): void => {
    if (box.current?.matches(':popover-open')) box.current.hidePopover();
    setOpen(false);
    anchor.current?.querySelector('button')?.focus();
  };
  return { open, setOpen, close, anchor, box };
}

interface MenuProps extends Pick<ButtonProps, 'icon' | 'kind' | 'label' | 'children'> {
  /** Called when the menu opens. */
  readonly items: () => readonly MenuItem[];
}

export function Menu({ items, ...button }: MenuProps) {
  const { open, setOpen, close, anchor, box } = usePopover();
  const id = useId();
  const entries = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useEffect(() => {
    if (open) entries()[0]?.focus();
  }, [open]);
  const move = (event: KeyboardEvent): void => {
    const all = entries();
    const at = all.findIndex(entry => entry === document.activeElement);
    const next = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Tab') close();
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <span class="menu-anchor" ref={anchor}>
      <Button
        {...button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => (open ? close() : setOpen(true))}
      />
      {open && (
        <div ref={box} id={id} class="menu" popover="auto" role="menu" tabIndex={-1} aria-label={button.label ?? 'Menu'} onKeyDown={move}>
          {items().map((item, i) =>
            item === 'line' ? (
              <hr key={i} />
            ) : item.href !== undefined ? (
              <a key={i} role="menuitem" tabIndex={-1} href={item.href} download={item.download} onClick={close}>
                {item.icon && <Icon name={item.icon} />}
                {item.text}
              </a>
            ) : (
              <button
                key={i}
                type="button"
                role="menuitem"
                tabIndex={-1}
                class={item.danger ? 'danger' : ''}
                aria-disabled={item.off ? true : undefined}
                title={item.off || undefined}
                onClick={() => {
                  if (item.off) return;
                  close();
                  item.act?.();
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                {item.text}
              </button>
            ),
          )}
        </div>
      )}
    </span>
  );
}
