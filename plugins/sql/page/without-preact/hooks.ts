/** Stands in for Preact's hooks: those of the page. */
import { host } from '../host.js';
import type * as Hooks from 'preact/hooks';

export const useState: typeof Hooks.useState = <T>(...initial: [T?]) => host().hooks.useState(initial[0]) as never;
export const useEffect: typeof Hooks.useEffect = (effect, inputs) => host().hooks.useEffect(effect, inputs);
export const useId: typeof Hooks.useId = () => host().hooks.useId();
