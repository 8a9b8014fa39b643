/** HTML of the operator in the head of the page, such as scripts that count visits. */
import { createHash } from 'node:crypto';

interface Snippet {
  readonly id: string;
  readonly code: string;
  /** Origins that its scripts come from and talk to. */
  readonly hosts: readonly string[];
}

/** For the head. */
export function snippetHtml(snippets: readonly Snippet[]): string {
  return snippets.map(({ id, code }) => `<!-- snippet: ${escaped(id)} -->\n${code}\n`).join('');
}

/** What the policy of the page must allow for them: each inline script by its hash, and no other. */
export function snippetSources(snippets: readonly Snippet[]): { readonly scripts: readonly string[]; readonly hosts: readonly string[] } {
  const scripts = snippets.flatMap(({ code }) =>
    [...code.matchAll(/<script\b(?![^>]*\ssrc\s*=)[^>]*>([\s\S]*?)<\/script\s*>/gi)].map(([, script = '']) => hashOf(script)),
  );
  return { scripts: [...new Set(scripts)], hosts: [...new Set(snippets.flatMap(({ hosts }) => hosts))] };
}

/** As browsers compare it: they read `\r\n` as `\n`. */
function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script.replace(/\r\n?/g, '\n')).digest('base64')}'`;
}

/** Cannot end the comment. */
function escaped(id: string): string {
  return id.replace(/[&<>"'-]/g, char => `&#${char.charCodeAt(0)};`);
}
