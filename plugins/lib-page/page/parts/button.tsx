/** Buttons, and links that look like them. */
import { Icon } from './icon.js';
import type { ComponentChildren } from 'preact';
import type { IconName } from './icon.js';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly kind?: 'primary' | 'plain' | 'danger' | 'danger primary';
  /** The name, where there is not text. */
  readonly label?: string;
  readonly pressed?: boolean;
  /** In narrow windows only the icon is shown. */
  readonly compact?: boolean;
  /** Why the button does nothing now; shown on hover and read aloud. */
  readonly off?: string | false | undefined;
  readonly type?: 'button' | 'submit';
  readonly onClick?: (event: MouseEvent) => void;
  readonly [aria: `aria-${string}`]: string | boolean | undefined;
}

export function Button({ children, icon, kind, label, pressed, compact, off, type = 'button', onClick, ...aria }: ButtonProps) {
  return (
    <button
      {...aria}
      type={type}
      class={`button ${kind ?? ''} ${children === undefined ? 'icon-only' : ''}`}
      title={off || label || (compact && typeof children === 'string' ? children : undefined)}
      {...(label === undefined ? {} : { 'aria-label': off ? `${label}: ${off}` : label })}
      aria-pressed={pressed}
      aria-disabled={off ? true : undefined}
      onClick={event => {
        if (!off) onClick?.(event);
        else event.preventDefault();
      }}
    >
      {icon && <Icon name={icon} />}
      {compact ? <Wide>{children}</Wide> : children}
    </button>
  );
}

/** Text that is read aloud only where the window is narrow: an icon or the words beside it say enough there. */
export function Wide({ children }: { readonly children: ComponentChildren }) {
  return <span class="wide-text">{children}</span>;
}
