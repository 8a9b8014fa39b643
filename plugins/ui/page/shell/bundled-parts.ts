/** Commands of the plugins beside this one. The bundler fills this in from their manifests (`build/shell-parts.ts`). */

type Load = () => Promise<{ readonly default?: unknown }>;

/** By plugin. */
export const bundled: Readonly<Record<string, Load>> = {};
/** First words of commands that run in `cli` only, with their plugins. */
export const elsewhere: Readonly<Record<string, string>> = {};
