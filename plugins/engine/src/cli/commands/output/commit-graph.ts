/** The commit graph in the language of Graphviz. */
import type { ShownCommit } from '@srv/lib-commands';

/** @param urlOf web page of a commit. */
export async function* commitGraph(
  commits: AsyncIterable<Pick<ShownCommit, 'id' | 'message' | 'parents'>>,
  urlOf: (id: string) => string,
): AsyncGenerator<string> {
  yield 'digraph {\n\trankdir="BT"\n';
  for await (const { id, message, parents } of commits) {
    const label = `${id.slice(0, 8)}<br/> ${escapeHtml(message).replaceAll('\n', '<br/>')}`;
    yield `\t"${id}" [shape=note target="_blank" href="${escapeHtml(urlOf(id))}" label=< ${parents.length > 1 ? `<b>${label}</b>` : label} >]\n`;
    for (const parent of parents) yield `\t"${parent}" -> "${id}";\n`;
  }
  yield '}\n';
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? character);
}
