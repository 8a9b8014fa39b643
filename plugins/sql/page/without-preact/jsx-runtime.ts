/** Stands in for Preact's JSX runtime: elements are made by the page. */
import { host } from '../host.js';
import type { ComponentChildren, ComponentType, VNode } from 'preact';

type Props = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren };

export function jsx(type: string | ComponentType<object>, { children, ...props }: Props, key?: string): VNode {
  const attributes = key === undefined ? props : { ...props, key };
  const given = children === undefined ? [] : [children].flat(1);
  const { h } = host();
  return typeof type === 'string' ? h(type, attributes, ...given) : h(type, attributes, ...given);
}

export { jsx as jsxs };

export function Fragment({ children }: { readonly children?: ComponentChildren }): ComponentChildren {
  return children;
}
