/** Hooks of the kernel and of plugins that nothing calls, or that no package taps: extension points without a user or without effect. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Source } from './source.js';
import type { Token } from './tokens.js';

/** Where hooks are declared: in the kernel, and in plugins that have some of their own. */
const hooksFile = /^(kernel|plugins\/[a-z0-9-]+)\/src\/hooks\.ts$/;
/** Third-party plugins show what built-in ones do not use, such as a plugin in one file. */
const thirdParty = /^test\/third-party\/plugins\//;
/** Other files need not be scanned. */
const mentionsHooks = /hooks/i;
const ships = /^(?!test\/|scripts\/)[^:]*\/src\/(?!testing\/)/;

interface Use {
  readonly hook: string;
  readonly isTap: boolean;
}

interface DeclaredHook {
  readonly name: string;
  readonly line: number;
  /** Plugins that its comment names after `Who:`. */
  readonly plugins: readonly string[];
}

/** @returns one `file:line: what is wrong` for each such hook, and for each plugin that a hook's comment names but that does not use it. */
export function judgeHooks(sources: readonly Source[]): string[] {
  return sources.filter(source => hooksFile.test(pathOf(source))).flatMap(declared => judgeFile(declared, sources));
}

function judgeFile(declared: Source, sources: readonly Source[]): string[] {
  const hooks = declaredHooks(declared.text);
  const names = new Set(hooks.map(({ name }) => name));
  const uses = sources
    .filter(
      source => source !== declared && mentionsHooks.test(source.text) && (ships.test(pathOf(source)) || thirdParty.test(pathOf(source))),
    )
    .flatMap(({ from, text }) => usesIn(tokensOf(text), names).map(use => ({ ...use, folder: from.folder })));
  const folders = new Set(sources.map(({ from }) => from.folder));
  return hooks.flatMap(({ name, line, plugins }) => {
    // In a workspace without the feature its hook may rest.
    if (plugins.some(plugin => !folders.has(`plugins/${plugin}`))) return [];
    const own = uses.filter(({ hook }) => hook === name);
    const wrong = [
      ...(own.some(({ isTap }) => !isTap) ? [] : [`nothing calls the hook ${name}: call it or remove it`]),
      ...(own.some(({ isTap }) => isTap) ? [] : [`no package taps the hook ${name}: tap it or remove it`]),
      ...plugins
        .filter(plugin => !own.some(({ folder }) => folder === `plugins/${plugin}`))
        .map(plugin => `${plugin} does not use the hook ${name}, as its comment says`),
    ];
    return wrong.map(what => `${pathOf(declared)}:${line}: ${what}`);
  });
}

const pathOf = ({ from, file }: Source): string => `${from.folder}/${file}`;

/** `name: new SomeHook`, as members of the object. */
function declaredHooks(text: string): DeclaredHook[] {
  const lines = text.split('\n');
  return tokensOf(text).flatMap((token, i, tokens) => {
    const [colon, word, type] = tokens.slice(i + 1, i + 4);
    if (colon?.kind !== SyntaxKind.ColonToken || word?.kind !== SyntaxKind.NewKeyword || !/Hook(Map)?$/.test(type?.value ?? '')) return [];
    const line = lineOf(text, token);
    const [, who = ''] = /Who: (.*)/.exec(lines[line - 2] ?? '') ?? [];
    return [{ name: token.value, line, plugins: [...who.matchAll(/`([a-z0-9-]+)`/g)].map(([, plugin = '']) => plugin) }];
  });
}

/** Uses of `hooks.name`, and of `name` where a file takes the object apart. */
function usesIn(tokens: readonly Token[], hooks: ReadonlySet<string>): Use[] {
  const takesApart = tokens.some(({ value }) => value === 'Hooks');
  return tokens.flatMap(({ value: hook }, i): Use[] => {
    if (!hooks.has(hook)) return [];
    const isMember = isDot(tokens[i - 1]);
    if (isMember ? !/^#?hooks$/.test(tokens[i - 2]?.value ?? '') : !takesApart) return [];
    const { method, wasAsked } = methodOf(tokens, i + 1);
    if (method === 'tap' || method === 'tapPromise') return [{ hook, isTap: true }];
    // Handed on, it is called by the receiver; except for the list of what is tapped.
    const isHandedOn =
      isMember && method === undefined && (wasAsked || !tokens.slice(Math.max(0, i - 6), i).some(({ value }) => value === 'tappedKeys'));
    return isHandedOn || method === 'call' || method === 'promise' ? [{ hook, isTap: false }] : [];
  });
}

/** The method called on a hook, or on one of a map: `.for(key)` and `.get(key)` lead to it. */
function methodOf(tokens: readonly Token[], from: number): { readonly method?: string | undefined; readonly wasAsked: boolean } {
  let at = from;
  let wasAsked = false;
  while (isDot(tokens[at]) && ['for', 'get'].includes(tokens[at + 1]?.value ?? '')) {
    wasAsked = true;
    at += 2;
    let depth = 0;
    do {
      if (tokens[at]?.kind === SyntaxKind.OpenParenToken) depth++;
      if (tokens[at]?.kind === SyntaxKind.CloseParenToken) depth--;
      at++;
    } while (depth > 0 && at < tokens.length);
  }
  const method = isDot(tokens[at]) ? tokens[at + 1]?.value : undefined;
  return { wasAsked, method };
}

const isDot = (token: Token | undefined): boolean => token?.kind === SyntaxKind.DotToken || token?.kind === SyntaxKind.QuestionDotToken;
